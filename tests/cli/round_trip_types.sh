# SPDX-License-Identifier: Apache-2.0
# Every type, at both ends of its range, through files and pipes.
for bits in 8 16 32 64; do
  make u$bits 5000 "[0, 2**$bits - 1, i % 200][i % 3]" > u$bits.bin
  make i$bits 5000 "[-2**($bits - 1), 2**($bits - 1) - 1, i % 100 - 50][i % 3]" > i$bits.bin
done
make f32 5000 "[-3.4028234663852886e38, 2**-149, i / 8][i % 3]" > f32.bin
make f64 5000 "[-1.7976931348623157e308, 2**-1074, i / 10][i % 3]" > f64.bin
for type in u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; do
  bobbin compress $type.bin --type $type --rows-per-group 2048 -q
  bobbin decompress $type.bin.bob -o $type.back -q
  cmp $type.bin $type.back && bobbin compress --type $type < $type.bin | bobbin decompress | cmp - $type.bin &&
    echo $type the same
  bobbin inspect $type.bin.bob | grep ^column
done
