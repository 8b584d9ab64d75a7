# SPDX-License-Identifier: Apache-2.0
# A flipped bit in the data: one line, no output, and an existing file is kept.
make u32 5000 'i * i * 31 % 777' > a.bin
bobbin compress a.bin --type u32 -q
flip a.bin.bob 300
echo old > out.bin
status bobbin decompress a.bin.bob -o new.bin
status bobbin decompress a.bin.bob -o out.bin -f
cat out.bin
status bobbin inspect a.bin.bob | tail -1
ls -A
