# SPDX-License-Identifier: Apache-2.0
# Nothing is overwritten without -f.
make u32 100 i > a.bin
make u32 50 i > b.bin
bobbin compress a.bin --type u32 -o x.bob -q
cp x.bob before.bob
status bobbin compress b.bin --type u32 -o x.bob
cmp x.bob before.bob && echo kept
status bobbin compress b.bin --type u32 -o x.bob -f -q
bobbin decompress x.bob -o - | cmp - b.bin && echo replaced
status bobbin decompress x.bob -o a.bin
status bobbin decompress x.bob -o a.bin -f
cmp a.bin b.bin && echo replaced
