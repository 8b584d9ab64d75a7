# SPDX-License-Identifier: Apache-2.0
# A forced codec, and the choice of the smaller one.
make u32 4096 '5000000 + i ** 3 // 11 % 16' > near.bin
for codec in bitpack ffor delta; do
  bobbin compress near.bin --type u32 --codec $codec -o $codec.bob -q
  bobbin decompress $codec.bob -o - | cmp - near.bin && bobbin inspect $codec.bob | tail -1
done
bobbin compress near.bin --type u32 -o smallest.bob -q
cmp smallest.bob ffor.bob && echo the smallest is ffor
make u32 4096 '5000000 + 3 * i' > steps.bin
bobbin compress steps.bin --type u32 -o steps.bob -q
bobbin inspect steps.bob | tail -2
