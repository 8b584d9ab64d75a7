# SPDX-License-Identifier: Apache-2.0
# Bounds of strings: truncated, escaped, open; row groups that share their symbols.
python3 -c 'import sys
for i in range(3000): print("https://example.org/item/%d" % (i % 700))' > urls.txt
bobbin compress urls.txt --type lines --rows-per-group 1000 --backend cpu -q
bobbin inspect urls.txt.bob --row-groups
bobbin inspect urls.txt.bob --json | python3 -c 'import json, sys
file = json.load(sys.stdin)
print(file["metadata"], [(c["name"], c["type"], c["raw_bytes"], c["min"], c["max"], c["nulls"]) for c in file["columns"]])
print([(g["num_rows"], g["chunks"][0]["min"], g["chunks"][0]["nulls"]) for g in file["row_groups"]])'
printf '\033[31mred\n%065d\n' 0 > odd.txt
bobbin compress odd.txt --type lines --backend cpu -q && bobbin inspect odd.txt.bob | grep column
python3 -c 'import sys; sys.stdout.buffer.write(b"\xff" * 65)' | bobbin compress --type lines --backend cpu > open.bob
bobbin inspect open.bob | grep column
bobbin inspect open.bob --json | grep -E '"(min|max)"' | sort -u
printf '\377\377\377\377\377\377\377\377' | bobbin compress --type strings --backend cpu > nulls.bob
bobbin inspect nulls.bob | grep column
bobbin inspect nulls.bob --json | grep -E '"(min|max|nulls)"' | sort -u
