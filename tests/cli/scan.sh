# SPDX-License-Identifier: Apache-2.0
# Scans of a few values, with every option: the output can be checked by hand.
scan() { echo "$*: $(bobbin scan "$@" -q | show "$2" | xargs)"; }
count() { make i32 9 'i + 1'; }         # 1 2 3 4 5 6 7 8 9
jump() { make i32 9 '(i * 5) % 9 - 4'; }  # -4 1 -3 2 -2 3 -1 4 0
echo sums
count | scan --type i32
count | scan --type i32 --exclusive
count | scan --type i32 --order 2
count | scan --type i32 --order 3 --exclusive
count | scan --type i32 --tuple 3
count | scan --type i32 --tuple 3 --exclusive
count | scan --type i32 --order 2 --tuple 3
count | scan --type i32 --order 8 --tuple 2 --scheme rounds
count | scan --type i32 --order 8 --tuple 2 --scheme vector
count | scan --type i32 --tuple 32
echo other operations
jump | scan --type i32 --op max
jump | scan --type i32 --op min
jump | scan --type i32 --op max --exclusive
jump | scan --type i32 --op min --tuple 2 --order 5
count | scan --type i32 --op xor
count | scan --type i32 --op xor --order 2
count | scan --type i32 --op or --exclusive
make u8 4 '255 - (1 << i)' | scan --type u8 --op and
make u8 4 '255 - (1 << i)' | scan --type u8 --op and --exclusive
echo every type
for type in u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; do
  make $type 5 '100 - 30 * i if i < 4 else 100' | scan --type $type
done
