# SPDX-License-Identifier: Apache-2.0
# What answers each row group, and the source of the kernel for the query.
bobbin-test-table t.bob
bobbin query t.bob --backend cpu --explain
bobbin query t.bob --where 'id >= 1002048 and temperature < 5' --agg 'sum(id)' --backend cpu --explain
bobbin query t.bob --where 'id >= 1003000 or temperature < 5' --agg 'sum(id),count()' --backend emulator --explain
bobbin query t.bob --group temperature --agg 'sum(id)' --limit 1 --backend cpu --explain
bobbin query t.bob --where '2 * temperature < id - 1000000' --agg 'sum(id * (3 - temperature))' --backend emulator --explain
status bobbin query t.bob --explain --json
