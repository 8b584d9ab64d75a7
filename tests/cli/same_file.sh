# SPDX-License-Identifier: Apache-2.0
# The source is kept, even with -f.
make u32 100 i > a.bin
ln -s a.bin link.bin
status bobbin compress a.bin --type u32 -o ./a.bin -f
status bobbin compress link.bin --type u32 -o a.bin -f
bobbin compress a.bin --type u32 -q
status bobbin decompress a.bin.bob -o a.bin.bob -f
bobbin verify a.bin.bob
