# SPDX-License-Identifier: Apache-2.0
# Rows are counted, summed and compared without being decompressed.
bobbin-test-table t.bob
bobbin query t.bob --backend cpu
bobbin query t.bob --where 'temperature < -190 and id between 1000000 and 1002000' --agg 'count(), sum(id), min(temperature), max(temperature)' --backend cpu
bobbin query t.bob --where 'temperature > 5.5 or not constant = 7' --agg 'sum(temperature),sum(constant)' --backend cpu
bobbin query t.bob --where 'id in (1000001, 1000002, 1004999, 5) and temperature is not null' --agg 'count(),sum(id)' --backend cpu
bobbin query t.bob --where 'temperature < -1000' --agg 'sum(id),count(),max(id)' --backend cpu
# Row groups that zone maps rule out are not read.
bobbin query t.bob --where 'id < 1000010' --stats --backend cpu
bobbin query t.bob --where 'id < 2000000' --stats --backend cpu
# Wide sums, and floats printed as short as possible.
make u64 1000 18446744073709551615 | bobbin compress --type u64 | bobbin query - --agg 'sum(value),max(value)' --backend cpu
make f32 1000 '3.1' | bobbin compress --type f32 > f32.bob
bobbin query f32.bob --where 'value = 3.1' --agg 'count(),min(value),sum(value)' --backend cpu
make f64 10 'i / 4' | bobbin compress --type f64 | bobbin query - --where 'value >= 0.75' --agg 'sum(value),min(value),max(value)' --backend cpu
# Strings, and groups.
python3 -c 'for i in range(5000): print("%s/%d" % (["alpha", "beta", "gamma"][i // 2000], i % 3))' > paths.txt
bobbin compress paths.txt --type lines --rows-per-group 1000 --backend cpu -q
bobbin query paths.txt.bob --where "value = 'beta/1'" --stats --backend cpu
bobbin query paths.txt.bob --where "value like 'alpha/%' and not value in ('alpha/0', 'alpha/2')" --backend cpu
bobbin query paths.txt.bob --where "value like '%a/2%'" --agg 'count(value)' --backend cpu
bobbin query paths.txt.bob --group value --backend cpu
bobbin query t.bob --where 'id < 1000003' --group temperature --backend cpu
make f32 6 'i / 2 - 1' | bobbin compress --type f32 | bobbin query - --group value --backend cpu
# JSON.
bobbin query t.bob --agg 'sum(id),min(temperature)' --where 'id < 1000100' --json --backend cpu
make u64 3 18446744073709551615 | bobbin compress --type u64 | bobbin query - --agg 'sum(value),min(value)' --where 'value > 0' --json --backend cpu
make f32 6 'i / 10' | bobbin compress --type f32 | bobbin query - --where 'value < 0.25' --group value --json --backend cpu
# Different strings stay different.
printf 'a\tb\na\\x09b\n\377\n\\xff\n"q"\n' | bobbin compress --type lines | bobbin query - --group value --json --backend cpu
# Integers compare with all digits of a constant.
make u64 6 '9007199254740990 + i' | bobbin compress --type u64 > large.bob
for where in 'value = 9007199254740993.0' 'value < 9007199254740992.5' 'value = 9007199254740993.00000000000000000001' 'value < 1e999' \
  'value > 999999999999999999999999999999999999999999' 'value > -1e-400'; do
  bobbin query large.bob --where "$where" --agg 'count(),max(value)' --backend cpu
done
# Columns that are asked for twice have keys that are not names of others.
printf 'a,a_1\n1,2\n' | bobbin compress --csv -q | bobbin query - --select a,a,a_1 --json
# Limits may be larger than the default.
make u32 1100000 i | bobbin compress --type u32 | bobbin query - --select value --limit 1090000 --csv --backend cpu | tail -n 1
