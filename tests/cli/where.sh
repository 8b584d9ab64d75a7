# SPDX-License-Identifier: Apache-2.0
# Columns are compared and printed by their logical values; cat prints the matching rows.
cat > t.csv <<'END'
id,name,price,day,time,ok
1,apple,1.50,2014-08-08,2014-08-08 18:00:00.250,true
2,"pear, green",3.50,2014-08-09,2014-08-09 00:00:00.000,false
3,,3.51,,2014-08-09 07:30:00.500,
4,fig,-0.05,1969-12-31,,true
5,plum,20.25,2014-08-10,2014-08-10 00:00:00.001,false
END
bobbin compress t.csv -q
bobbin schema t.csv.bob --text
bobbin cat t.csv.bob --where 'price < 3.505 and id >= 2'
bobbin cat t.csv.bob --where 'price = 3.505 or price in (3.51, 20.250, 7)' --columns price,name
bobbin cat t.csv.bob --where 'not price between -0.049 and 3.509' --columns price --no-header
bobbin cat t.csv.bob --where "day >= '2014-08-09' or ok = true" --columns day,ok
bobbin cat t.csv.bob --where "day > '2014-08-08 12:00:00' and ok != true" --columns id
bobbin cat t.csv.bob --where "time between '2014-08-08 18:00:00' and '2014-08-09'" --columns time
bobbin cat t.csv.bob --where "time > '2014-08-09 07:30:00.4999999999'" --columns time
bobbin cat t.csv.bob --where "time = '2014-08-10 00:00:00.0010' or time is null" --columns id,time
bobbin cat t.csv.bob --where 'ok in (false, 1)' --columns id,ok --delimiter ';'
bobbin cat t.csv.bob --where "name like 'p%'" --rows 2: --null NA
bobbin cat t.csv.bob --where 'id > 1' --limit 2 --columns id
bobbin cat t.csv.bob --where 'id > 1' --limit 0
bobbin cat t.csv.bob --where 'id > 100'
bobbin cat t.csv.bob --where 'price > 1' --backend emulator --columns name,day
# Answers.
bobbin query t.csv.bob --agg 'sum(price),min(price),max(day),min(time),sum(ok),max(ok)' --backend cpu
bobbin query t.csv.bob --agg 'sum(price),min(price),max(day),min(time),sum(ok),max(ok)' --json --backend cpu
bobbin query t.csv.bob --where 'price > 3.50' --agg 'count(),sum(price)' --backend cpu
bobbin query t.csv.bob --where 'id < 0' --agg 'sum(price),max(day)' --backend cpu
bobbin query t.csv.bob --group day --backend cpu
bobbin query t.csv.bob --group ok --json --backend cpu
# Rows of a query are the same JSON as those of cat.
cat > same.py <<'END'
import json, subprocess
def rows(*args):
    return json.loads(subprocess.check_output(["bobbin", *args, "t.csv.bob", "--json"]), parse_float=str, parse_int=str)
cat, query = rows("cat"), rows("query", "--select", "*")["rows"]
print(len(cat), cat == query, cat[0]["price"])
END
python3 same.py
# Bounds.
bobbin inspect t.csv.bob | grep '^column'
bobbin inspect t.csv.bob --json | python3 -c 'import json, sys; print([(c["min"], c["max"]) for c in json.load(sys.stdin)["columns"]])'
bobbin stats t.csv.bob --json | python3 -c 'import json, sys; print([(c["min"], c["max"]) for c in json.load(sys.stdin)["columns"]])'
# Row groups in which no row can match are not read.
{ echo n,s; for i in $(seq 1 5000); do echo "$i.25,row $i"; done; } | bobbin compress --csv --rows-per-group 1024 > big.bob
bobbin cat big.bob --where 'n between 1020.25 and 1030.5 or n = 4000.25'
bobbin query big.bob --where 'n < 1000' --stats --backend cpu
bobbin cat big.bob --where 'n > 100' | tail -n +2 | wc -l
bobbin cat big.bob --where "s like '%9%'" --rows 1000:3000 | sha256sum
bobbin cat big.bob --rows 1000:3000 | grep -e ,s -e 9 | grep -e ,s -e 'row.*9' | sha256sum
# So damage in them is not found.
flip big.bob 130
status bobbin cat big.bob --where 'n = 4000.25'
status bobbin cat big.bob --where 'n = 7.25'
