# SPDX-License-Identifier: Apache-2.0
# Binary data is not written to a terminal, nor read from one.
make u32 100 i > a.bin
bobbin compress a.bin --type u32 -q
status terminal bobbin compress a.bin --type u32 -o -
status terminal bobbin decompress a.bin.bob -o -
status terminal bobbin decompress a.bin.bob -o /dev/tty
status terminal bobbin compress --type u32 -o x.bob
make u8 3 '65 + i' > abc.bin
bobbin compress abc.bin --type u8 -q
status terminal bobbin decompress abc.bin.bob -o - -f
ls
