# SPDX-License-Identifier: Apache-2.0
# What is written can be read: a chunk of two runs, one value after nulls, and nested codecs.
(echo year; yes 2020 | head -1000; yes 2024 | head -250) > two.csv
bobbin compress two.csv -q
bobbin verify two.csv.bob
bobbin decompress two.csv.bob -o - | cmp - two.csv && echo two runs come back
(echo value; yes '' | head -5000; echo 5) > last.csv
bobbin compress last.csv -q
bobbin verify last.csv.bob
bobbin decompress last.csv.bob -o - | cmp - last.csv && echo the value after nulls comes back
make i32 1250 '7 if i < 1000 else 9' > two.bin
for codec in 'rle(sparse, bitpack)' 'rle(rle, bitpack)' 'sparse(rle, ffor)' 'dict(bitpack, dict)'; do
  bobbin compress two.bin --type i32 --codec "$codec" -o by_hand.bob -f -q
  bobbin decompress by_hand.bob -o - | cmp - two.bin && echo "$codec"
done
# What a reader would refuse is refused at once, and the existing file is kept.
status bobbin compress two.bin --type i32 --codec 'rle(rle(rle, ffor), ffor)' -o by_hand.bob -f
status bobbin compress two.bin --type i32 --codec 'rle(zigzag, ffor)' -o by_hand.bob -f
bobbin verify by_hand.bob
