# SPDX-License-Identifier: Apache-2.0
# Strings with their lengths: nulls, newlines, and what lines cannot represent.
record() { python3 -c 'import os, sys, struct
for word in map(os.fsencode, sys.argv[1:]):
    sys.stdout.buffer.write(struct.pack("<I", 0xffffffff) if word == b"null" else struct.pack("<I", len(word)) + word)' "$@"; }
record one null '' 'Größe' > words.bin
bobbin compress words.bin --type strings --utf8 --codec fsst --backend cpu
bobbin inspect words.bin.bob
bobbin decompress words.bin.bob -o - | cmp - words.bin && echo same
bobbin decompress words.bin.bob --rows 1:3 -o - | od -An -tx1
status bobbin decompress words.bin.bob --as lines -o x
bobbin decompress words.bin.bob --as lines --rows 2:4 -o -
record 'two
lines' > newline.bin
bobbin compress newline.bin --type strings --backend cpu -q
status bobbin decompress newline.bin.bob --as lines -o -
printf 'a\nb' > lines.txt
bobbin compress lines.txt --type lines --backend cpu -q
bobbin decompress lines.txt.bob --as strings -o - | od -An -c
bobbin decompress words.bin.bob --backend emulator -o - | cmp - words.bin && bobbin verify words.bin.bob --backend emulator
# Malformed inputs.
head -c 24 words.bin | status bobbin compress --type strings --backend cpu -o x.bob
head -c 9 words.bin | status bobbin compress --type strings --backend cpu -o x.bob
printf '\376\377\377\377' | status bobbin compress --type strings --backend cpu -o x.bob
printf 'fine\n\303\n' | status bobbin compress --type lines --utf8 --backend cpu -o x.bob
status bobbin compress lines.txt --type lines --codec ffor -o x.bob
make u32 3 i > numbers.bin
status bobbin compress numbers.bin --type u32 --codec fsst -o x.bob
status bobbin compress numbers.bin --type u32 --utf8 -o x.bob
status bobbin compress numbers.bin --type utf8 -o x.bob
bobbin compress numbers.bin --type u32 -q
status bobbin decompress numbers.bin.bob --as strings -o x
status bobbin decompress lines.txt.bob --as words -o x
status bobbin bench lines.txt --type lines
ls
