# SPDX-License-Identifier: Apache-2.0
# Several files: each is shown, and if one fails, the others still are.
make u32 1000 i > a.bin; make u8 10 7 > b.bin
bobbin compress a.bin --type u32 -q; bobbin compress b.bin --type u8 -q
status bobbin stats a.bin.bob b.bin.bob
status bobbin stats a.bin.bob missing.bob b.bin.bob --json | python3 -c '
import json, sys
text = sys.stdin.read()
files, end = json.JSONDecoder().raw_decode(text)
print([f["file"] for f in files], text[end:].strip())'
bobbin inspect a.bin.bob b.bin.bob | grep -E '^$|format'
bobbin inspect --json a.bin.bob | python3 -c 'import json, sys; print(json.load(sys.stdin)["file"])'
bobbin inspect --json a.bin.bob b.bin.bob | python3 -c 'import json, sys; print([f["num_rows"] for f in json.load(sys.stdin)])'
# The ratio is the same number everywhere.
{ echo n,s; for i in $(seq 1 3000); do echo "$i,text $((i % 7))"; done; } > t.csv
bobbin compress t.csv -o t.bob 2> line
ratio=$(grep -o 'ratio [0-9.]*' line)
bobbin inspect t.bob | grep -o "^total.*$ratio\$" | sed 's/[0-9.]\+/N/g'
bobbin report t.bob -o t.html -q && grep -q "${ratio#ratio }" t.html && echo reported
# The chosen line is marked with a star, in every chunk.
bobbin inspect t.bob --why | grep -c '^  \*'
