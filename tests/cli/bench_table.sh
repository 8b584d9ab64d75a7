# SPDX-License-Identifier: Apache-2.0
# Tables are measured column by column: bytes and ratios are recorded, speeds are whatever they are.
{ echo id,name,gone; for i in $(seq 3000); do echo "$i,name $((i % 7)),"; done; } > t.csv
bobbin compress t.csv -q
cells() { grep -E '(bobbin|memcpy|compress)' | cut -d '|' -f 2-7 | sed 's/ *$//'; }
bobbin bench t.csv.bob --runs 1 --cache warm --backend cpu | cells
bobbin bench t.csv --runs 1 --cache warm --backend cpu | grep -c compress
bobbin bench t.csv.bob --runs 1 --cache warm --backend cpu --json | grep -c '"method": "bobbin"'
printf 'a\n' > empty.csv
bobbin compress empty.csv -q
status bobbin bench empty.csv.bob --runs 1
status bobbin bench missing.bob
