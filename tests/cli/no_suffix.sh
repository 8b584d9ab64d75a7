# SPDX-License-Identifier: Apache-2.0
# If the name does not end in .bob, the output's name cannot be derived.
make u32 100 i > a.bin
bobbin compress a.bin --type u32 -o data -q
status bobbin decompress data
status bobbin decompress data -o back.bin -q
cmp a.bin back.bin && ls
