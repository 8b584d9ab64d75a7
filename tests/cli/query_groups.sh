# SPDX-License-Identifier: Apache-2.0
# Aggregates by groups, orders, limits, rows, and tests of strings and of columns.
cat > orders.csv <<'END'
id,city,day,price,paid,qty,note
1,Oslo,2024-01-01,3.50,3.50,2,first
2,Bergen,2024-01-01,4.25,4.00,1,
3,Oslo,2024-01-02,1.00,1.00,9,"a, b"
4,,2024-01-02,2.00,2.50,4,"say ""hi"""
5,Bergen,2024-01-03,0.10,0.10,3,
6,oslo,2024-01-03,0.20,0.30,,Last
END
bobbin compress orders.csv --rows-per-group 1024 --backend cpu -q
ask() { bobbin query orders.csv.bob --backend cpu "$@"; }
ask --agg 'count(),count(qty),count(distinct city),sum(qty),avg(qty),avg(price),min(city),max(note),min(day)'
ask --group city
ask --group city --agg 'count(),sum(price),avg(price)' --order 'count() desc, city desc'
ask --group city --agg 'max(id)' --order 'sum(qty) desc nulls last' --limit 2
ask --group city,day --agg 'count()' --order 'day desc, city nulls last'
ask --group day --agg 'count(distinct city),min(note)' --csv
ask --select id,city,price --order 'price desc' --limit 3
ask --select '*' --where "city ilike 'oslo'" --csv
ask --select id,note --where 'note is null or id = 4' --order 'note, id desc' --json
ask --select id --limit 0
# Order of strings, patterns, comparisons of columns.
ask --where "city < 'P' and city >= 'C'" --select id,city
ask --where "city between 'Bergen' and 'Oslo'"
ask --where "city like '%o' and not city like '_slo%x'" --select city
ask --where "note like '%st'" --select note
ask --where 'price != paid' --select id,price,paid
ask --where 'paid < price or qty > id' --select id
ask --where '3 <= id' --agg 'min(id)'
# More groups than allowed.
status bobbin query orders.csv.bob --group id --max-groups 5 --backend cpu
status bobbin query orders.csv.bob --group id --order city --backend cpu
status bobbin query orders.csv.bob --group id --order count --backend cpu
status bobbin query orders.csv.bob --group id --order sum --backend cpu
status bobbin query orders.csv.bob --select id --order 'count()' --backend cpu
status bobbin query orders.csv.bob --select id --group id --backend cpu
status bobbin query orders.csv.bob --where 'city < id' --backend cpu
status bobbin query orders.csv.bob --agg 'avg(day)' --backend cpu
