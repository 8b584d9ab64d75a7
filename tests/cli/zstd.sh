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
status bobbin zstd -19 -f -q values.bin
bobbin zstd -k -9 -f -q values.bin
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
status bobbin zstd /dev/zero
mkfifo pipe.zst
bobbin zstd -c values.bin > pipe.zst &
status bobbin zstd -d pipe.zst -o back.bin -q
wait
cmp back.bin values.bin && echo through a named pipe
rm pipe.zst back.bin
printf '' | bobbin zstd -q | bobbin zstd -d | wc -c
# Dictionaries: trained, used and required.
for i in $(seq 300); do echo "{\"item\": $((i * 7919 % 1000)), \"colour\": \"green $((i % 17))\"}"; done > rows.json
status bobbin zstd --train --lines rows.json -o rows.dict --max-size 2048 -q
head -n 3 rows.json > three.json
bobbin zstd -q -D rows.dict three.json
(($(wc -c < three.json.zst) * 2 < $(wc -c < three.json))) && echo much smaller
cmp <(bobbin zstd -d -c -D rows.dict three.json.zst) three.json && echo comes back
status bobbin zstd -t -q three.json.zst 2>&1 | sed 's/dictionary [0-9]*/dictionary N/'
status bobbin zstd --train rows.json
status bobbin zstd --train rows.json -o one.dict
rm rows.json rows.dict three.json three.json.zst
bobbin zstd --rm -f -q values.bin
ls
