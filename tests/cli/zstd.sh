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
# What is removed or replaced is neither the only copy nor an input.
status bobbin zstd --rm --seek 0:3 values.bin.zst
bobbin zstd --rm -c values.bin | bobbin zstd -d | cmp - values.bin && echo still there
cp values.bin.zst both.zst
status bobbin zstd -f -D values.bin both.zst -o values.bin
status bobbin zstd --train values.bin both.zst -f -o both.zst
cmp values.bin.zst both.zst && echo not replaced
rm both.zst
for options in '-c -o x' '-t --seek 0:1' '-l --seek 0:1'; do status bobbin zstd $options values.bin.zst; done
status bobbin zstd -l /dev/null
# The output belongs to those who own the source.
(umask 022 && cp values.bin own.bin && chmod 600 own.bin && touch -d '2020-02-02 02:02:02 UTC' own.bin && bobbin zstd -q own.bin)
stat -c '%a %Y' own.bin.zst
rm own.bin own.bin.zst
# A frame of much content takes little memory: 8000 blocks of 128 KiB of one byte.
python3 -c 'import sys
blocks = b"".join((131072 << 3 | 2 | (i == 7999)).to_bytes(3, "little") + bytes([i % 250]) for i in range(8000))
sys.stdout.buffer.write(bytes.fromhex("28b52ffd 00 38") + blocks)' > many.zst
limited() { (ulimit -v 600000; "$@"); }
limited bobbin --version > /dev/null 2>&1 || limited() { "$@"; } # a sanitizer needs more addresses for itself
limited bobbin zstd -t many.zst
bobbin zstd -d -c many.zst | tail -c 200000 | od -An -tu1 -v | tr -s ' ' '\n' | sort | uniq -c
# Also after a frame without content.
printf '\x50\x2a\x4d\x18\x02\0\0\0ab' > first.zst
bobbin zstd -c /dev/null >> first.zst
cat first.zst many.zst > cut.zst
bobbin zstd -t cut.zst
head -c 31000 many.zst > cut.zst
status bobbin zstd -t cut.zst
# A frame that says that it has two bytes, and has three.
printf '\x28\xb5\x2f\xfd\x80\x00\x02\0\0\0\x19\0\0abc' > three.zst
status bobbin zstd -t three.zst
rm first.zst many.zst cut.zst three.zst
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
