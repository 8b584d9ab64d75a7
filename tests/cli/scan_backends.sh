# SPDX-License-Identifier: Apache-2.0
# The GPU's kernels, emulated, give the CPU's bytes. (Floats whose sums are exact: any grouping gives the same.)
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
