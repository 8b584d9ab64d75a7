# SPDX-License-Identifier: Apache-2.0
# Ranges of rows, across row groups.
make u32 5000 'i * 3' > a.bin
bobbin compress a.bin --type u32 --rows-per-group 1024 -q
for rows in 0:3 1022:1026 4998: 5000:5000; do
  echo rows $rows
  bobbin decompress a.bin.bob --rows $rows -o - | show u32
done
bobbin decompress a.bin.bob --rows :4100 -o - | cmp -n 16400 - a.bin && echo the same
bobbin decompress a.bin.bob --rows : -o - | cmp - a.bin && echo the same
status bobbin decompress a.bin.bob --rows 10:5001 -o x
status bobbin decompress a.bin.bob --rows 5001: -o x
ls
