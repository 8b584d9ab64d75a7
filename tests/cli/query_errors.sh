# SPDX-License-Identifier: Apache-2.0
# Errors name the position in the text, or the column and its type.
bobbin-test-table t.bob
printf 'one\ntwo\n' | bobbin compress --type lines --utf8 > s.bob
for where in 'nope < 3' "id = 'x'" 'id <' 'id < 3 and' '(id < 3' 'id < 3)' 'id ~ 3' "id = 'x" 'id 3' 'id between 1 or 2' 'id in (1 2)' \
  "id like 'a%b'"; do
  status bobbin query t.bob --where "$where" --backend cpu
done
status bobbin query s.bob --where 'value = 3' --backend cpu
status bobbin query s.bob --agg 'sum(value)' --backend cpu
status bobbin query t.bob --agg 'sum(price)' --backend cpu
status bobbin query t.bob --agg 'median(id)' --backend cpu
status bobbin query t.bob --group id --order 'id desc nulls' --backend cpu
status bobbin query t.bob --agg 'sum()' --backend cpu
status bobbin query t.bob --agg '' --backend cpu
status bobbin query t.bob --group price --backend cpu
status bobbin query missing.bob
status bobbin query
status bobbin query t.bob --select id --agg 'count()'
status bobbin query t.bob --select 'id, avg(id)'
# Damage is reported when it is read.
make u32 5000 'i * 100000 + i * i * 7919 % 65521' > d.bin
bobbin compress d.bin --type u32 --rows-per-group 2048 -o d.bob -q
flip d.bob 20
status bobbin query d.bob --where 'value > 7' --agg 'sum(value)' --backend cpu
status bobbin query d.bob --where 'value > 499800000' --agg 'sum(value)' --backend cpu
