# SPDX-License-Identifier: Apache-2.0
# The output's name, or --format, determines the format: CSV, tabs, JSON, lines of JSON, an aligned table.
sed 's/TAB/\t/' > t.csv <<'END'
id,name,price,day,ok,x
1,aTABb,1.50,2014-08-08,true,0.5
2,"say ""hi""",-20.25,2014-08-09,false,nan
3,,,,,inf
18446744073709551615,ümlaut,0.00,1969-12-31,true,-1e-300
END
bobbin compress t.csv -q --schema 'id:u64,name:utf8,price:decimal(2),day:date,ok:bool,x:f64' -o t.bob
for name in csv tsv json ndjson jsonl; do bobbin decompress t.bob -o t.$name -q -f; done
cat -A t.tsv
cat t.json
cmp t.ndjson t.jsonl && cat t.ndjson
python3 - <<'END'
import json
strict = lambda text: json.loads(text, parse_constant=lambda name: exit("not strict: " + name))
rows = strict(open("t.json").read())
print(rows == [strict(line) for line in open("t.ndjson")], rows[3]["id"], rows[2])
END
bobbin cat t.bob --format table
bobbin cat t.bob --json --columns id,ok -n 1
bobbin cat t.bob --format tsv --columns name,id --no-header | cat -A
# And back: tabs are read as tabs.
bobbin compress t.tsv -q --schema "$(bobbin schema t.bob --text)" -o back.bob
bobbin cat back.bob --format ndjson | cmp - t.ndjson && echo same
bobbin decompress back.bob -o back.csv -q && cmp back.csv t.csv
# Any bytes.
printf 'ab\n\xff\x00\n\x01\x1f"\\\n\n' | bobbin compress --type lines > bytes.bob
bobbin cat bytes.bob --format ndjson
bobbin cat bytes.bob --rows 0:0 --format json
# The members of an object have different names.
status bobbin cat t.bob --columns id,id --json
status bobbin decompress t.bob -o t.parquet
status bobbin decompress t.bob -o t.csv.gz
bobbin decompress t.bob -o T.JSON -q && cmp T.JSON t.json && echo the same format
status bobbin cat t.bob --format xml
# Options that would have no effect.
status bobbin cat t.bob --json --delimiter ';'
status bobbin decompress t.bob --format ndjson --no-header -o -
status bobbin cat t.bob --format table --delimiter ';'
status bobbin decompress t.bob -o t.ndjson --delimiter ';'
status bobbin compress t.csv -o slack.bob --slack 10
# Texts that would be read as something else.
printf 'a\nsep=;\n' | bobbin compress --csv -q > sep.bob
status bobbin decompress sep.bob --no-header -o sep.csv
printf '\x8b;z\n' | bobbin compress --type lines > magic.bob
status bobbin decompress magic.bob --csv --no-header --delimiter ';' --quote $'\x1f' -o magic.csv
ls sep.csv magic.csv
# What is compressed twice is decompressed once.
{ echo a,b,c; for i in {1..1000}; do printf '%s,%03000d,x\n' $i $i; done; } | gzip | gzip > twice.csv.gz
status bobbin compress twice.csv.gz -q -o twice.bob 2>&1 | grep -ao 'status.*\|is not UTF-8'
ls t.parquet
