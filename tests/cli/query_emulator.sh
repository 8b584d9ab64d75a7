# SPDX-License-Identifier: Apache-2.0
# The emulator runs the GPU kernels: the same answers as on the CPU.
bobbin-test-table t.bob
python3 -c 'for i in range(3000): print("%s/%d" % (["alpha", "beta", "gamma"][i // 1200], i % 3))' > paths.txt
bobbin compress paths.txt --type lines --rows-per-group 1000 --backend cpu -q
make f64 3000 '(i * 37 % 1000) / 7' | bobbin compress --type f64 > f64.bob
ask() {
  bobbin query "$@" --stats --backend cpu > cpu.txt
  bobbin query "$@" --stats --backend emulator | cmp - cpu.txt && cat cpu.txt
}
ask t.bob --where 'temperature < -190 and id between 1000000 and 1002000' --agg 'count(),sum(id),min(temperature),max(temperature)'
ask t.bob --where 'not (temperature < 100 or id >= 1004000) or temperature in (1, 5, 7, 8)' --agg 'sum(temperature),sum(constant)'
ask t.bob --where 'id < 1000500' --group temperature | tail -n 3
ask f64.bob --where 'value < 77.7' --agg 'sum(value),min(value),max(value)'
ask paths.txt.bob --where "value like 'beta/%' or not value like '%a/1%'"
ask paths.txt.bob --where "value != 'beta/1'" --group value
ask paths.txt.bob --where "value > 'beta/1' or value like '%a_0'" --agg 'count(distinct value),max(value)'
ask t.bob --where 'temperature < id and temperature in (1,2,3,5,7,9,11,13,15,17,19)' --group temperature --agg 'count(),avg(id)' --limit 4
ask t.bob --select id,temperature --order 'temperature desc, id' --limit 3
