# SPDX-License-Identifier: Apache-2.0
# A table goes in as CSV and comes out as the same text, or as another kind of text.
cat > t.csv <<'END'
id,name,price,when,ok
1,apple,1.50,2014-08-08 18:00:00,true
2,"pear, green",20.25,2014-08-09 07:30:00,false
3,,0.10,,
4,"say ""hi""",7.00,2014-08-10 00:00:00,true
END
bobbin compress t.csv -q
bobbin schema t.csv.bob
bobbin schema t.csv.bob --text
bobbin schema t.csv.bob --json | python3 -c 'import json, sys; print([c["name"] for c in json.load(sys.stdin)["columns"]])'
mv t.csv original.csv
bobbin decompress t.csv.bob -q && cmp t.csv original.csv && echo same
bobbin decompress t.csv.bob --delimiter tab --no-header --null NA -o - | tr '\t' '>'
# The dialect is recorded in the file.
tail -n +2 original.csv | tr ',' '|' > bars.txt
bobbin compress bars.txt --delimiter '|' --no-header -o bars.bob -q
bobbin cat bars.bob --rows 1:3
bobbin inspect bars.bob | grep metadata
# Given types, also from a pipe; raw columns as before.
cat original.csv | bobbin compress --csv --schema 'id:u8,name:utf8,price:decimal(3),when:timestamp[ms],ok:bool' > typed.bob
bobbin schema typed.bob --text
bobbin decompress typed.bob --column id -o - | show u8
bobbin decompress typed.bob -o typed.tsv -q -f --rows 2: && tr '\t' '>' < typed.tsv
# A pipe without a schema is read twice; the types depend on the last rows too.
{ echo a,b; for i in $(seq 1 2000); do echo "$i,"; done; echo 1.5,x; } | bobbin compress --csv > late.bob
bobbin schema late.bob --text
bobbin cat late.bob --rows 1999: --columns b,a
bobbin cat late.bob --limit 2
bobbin verify late.bob
# Numbers of any file can be written as text.
make u16 3 'i * 7' > n.bin
bobbin compress n.bin --type u16 -q
bobbin cat n.bin.bob
bobbin decompress n.bin.bob -o n.csv -q && cat n.csv
# Empty input, and almost empty input.
: > empty.csv
bobbin compress empty.csv -q && bobbin schema empty.csv.bob && bobbin cat empty.csv.bob
printf 'größe,b\n' > head.csv
bobbin compress head.csv -q && bobbin cat head.csv.bob
printf '"a,b",c"d\n1,2\n' > odd.csv
bobbin compress odd.csv -q && bobbin cat odd.csv.bob --columns '"c""d","a,b"'
