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
# Runs, rare values, one value, small magnitudes.
make i32 4096 'i // 100 % 5 - 2' > runs.bin
for codec in rle sparse zigzag diff; do
  bobbin compress runs.bin --type i32 --codec $codec -o $codec.bob -q
  bobbin decompress $codec.bob -o - | cmp - runs.bin && bobbin inspect $codec.bob | grep "^  $codec"
done
make i32 4096 '-7' > alike.bin
bobbin compress alike.bin --type i32 --codec constant -o alike.bob -q
bobbin decompress alike.bob -o - | cmp - alike.bin && bobbin inspect alike.bob | tail -1
status bobbin compress runs.bin --type i32 --codec constant -o x.bob
status bobbin compress runs.bin --type u32 --codec zigzag -o x.bob
