# SPDX-License-Identifier: Apache-2.0
# Every verb that reads .bob reads CSV too, whatever its name; a pipe and compressed text as well.
{ echo 'id,city,day,price'; for i in $(seq 1 200); do echo "$i,city $((i % 3)),2014-08-0$((i % 9 + 1)),$i.50"; done; } > t.csv
cp t.csv table
gzip -k t.csv; bobbin zstd -q t.csv; bobbin compress -q t.csv -o t.bob
for file in t.csv table t.csv.gz t.csv.zst t.bob; do
  echo "$file: $(bobbin query $file --where 'id > 100' --agg 'sum(price),count()' --csv | tail -1)"
done
cat t.csv | bobbin query - --group city
cat t.csv.gz | bobbin head -n 2
bobbin cat t.csv --where "day = '2014-08-05'" --columns city,price -n 2 --json
bobbin cat table --rows 3:5
bobbin cat table --rows -1:
bobbin cat table > back.csv; cmp back.csv t.csv && echo same
bobbin schema table
bobbin grep -c 'city 1' t.csv
bobbin verify t.csv t.bob
bobbin verify -q table && echo fine
bobbin decompress table -o t.ndjson; head -1 t.ndjson
# The same as of the .bob file that compress would make.
for verb in stats inspect 'schema --json'; do
  diff <(bobbin $verb t.bob) <(bobbin $verb t.csv) | grep -c '^[<>]'
done
bobbin report t.csv -q -o t.html && grep -c '</html>' t.html
bobbin bench table --runs 1 --cache warm --backend cpu | grep -cE 'compress|bobbin'
# The text's own form is detected, or given.
printf 'a;b\n1,5;x\nNA;y\n' > s.txt
bobbin schema s.txt
bobbin cat s.txt --delimiter ';' --null NA --schema 'b:utf8' --json
printf '# made by hand\n1|2\n3\n' | bobbin cat - --skip 1 --no-header --ragged pad --delimiter '|'
status bobbin query t.csv --schema 'id:date'
status bobbin query t.bob --delimiter ';'
status bobbin cat t.bob --delimiter ';' --json
