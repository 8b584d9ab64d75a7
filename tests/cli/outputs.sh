# SPDX-License-Identifier: Apache-2.0
# Outputs that cannot be written.
mkdir folder
make u32 100 i > a.bin
bobbin compress a.bin --type u32 -q
status bobbin compress a.bin --type u32 -o folder
status bobbin compress a.bin --type u32 -o nowhere/x.bob
status bobbin decompress a.bin.bob -o nowhere/x
status bobbin decompress a.bin.bob -o folder -f
ls -A
