# SPDX-License-Identifier: Apache-2.0
# Constants that do not fit a column's logical type.
cat > t.csv <<'END'
id,name,price,day,time,ok
1,apple,1.50,2014-08-08,2014-08-08 18:00:00,true
END
bobbin compress t.csv -q
for where in "price = '1.50'" 'price = true' 'day = 5' "day < '2014-13-01'" "time >= 'noon'" 'time in (1.5)' 'ok = 2' "ok = 'true'" 'ok < true' 'ok between false and true' \
  "day like '2014%'" 'id = true' 'name = false' 'nothing = 1'; do
  status bobbin cat t.csv.bob --where "$where" --backend cpu
done
status bobbin query t.csv.bob --agg 'sum(day)'
status bobbin query t.csv.bob --agg 'sum(time)'
status bobbin cat t.csv.bob --where 'id <'
