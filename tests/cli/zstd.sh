# SPDX-License-Identifier: Apache-2.0
# Standard .zst files, with the conventions of zstd's own tool.
make u16 100000 '(i * 7) % 1000' > values.bin
bobbin zstd values.bin -q
cmp <(bobbin zstd -d -c values.bin.zst) values.bin && echo comes back
bobbin zstd -l values.bin.zst
status bobbin zstd -t values.bin.zst
# The source is kept, and nothing is overwritten without -f.
status bobbin zstd values.bin -q
status bobbin zstd -9 -f -q values.bin
bobbin zstd < values.bin | bobbin zstd -d | cmp - values.bin && echo through pipes
bobbin zstd --seek 100000:100010 values.bin.zst | cmp - <(tail -c +100001 values.bin | head -c 10) && echo a range
status bobbin zstd --seek 200001:200002 values.bin.zst
status bobbin zstd --seek 7 values.bin.zst
# Frames of other sizes and levels; if a file fails, the others are still tested.
bobbin zstd -1 --frame-size 1000000 --no-check values.bin -o one.zst -q
bobbin zstd -l one.zst
cp values.bin.zst bad.zst
flip bad.zst 3000
status bobbin zstd -t bad.zst one.zst missing.zst values.bin
status bobbin zstd -d values.bin
printf '' | bobbin zstd -q | bobbin zstd -d | wc -c
status bobbin zstd -D values.bin values.bin
bobbin zstd --rm -f -q values.bin
ls
