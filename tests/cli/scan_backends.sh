# SPDX-License-Identifier: Apache-2.0
# The GPU kernels, emulated, give the same bytes as the CPU. (Float sums that are exact in any order.)
compare() {
  bobbin scan "$@" --backend cpu -o cpu.out -q -f
  bobbin scan "$@" --backend emulator -o emulator.out -q -f
  cmp cpu.out emulator.out && echo "the same: $*"
}
for type in u8 i16 u32 i64; do
  make $type 60000 'i * i % 101' > $type.bin
  compare $type.bin --type $type
  compare $type.bin --type $type --order 3 --tuple 2 --scheme vector
  compare $type.bin --type $type --order 3 --tuple 2 --scheme rounds --exclusive
  compare $type.bin --type $type --op max --tuple 5 --exclusive
  compare $type.bin --type $type --op xor --order 2
done
for type in f32 f64; do
  make $type 60000 'i % 64 / 4' > $type.bin
  compare $type.bin --type $type --tuple 7
done
