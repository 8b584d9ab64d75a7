# SPDX-License-Identifier: Apache-2.0
# The output is next to the input, which is kept; decompressing reproduces the bytes under the old name.
make u32 3000 '70000 + i * 37 % 1000' > a.bin
cp a.bin copy.bin
bobbin compress a.bin --type u32
ls
rm a.bin
bobbin decompress a.bin.bob
cmp a.bin copy.bin && ls
