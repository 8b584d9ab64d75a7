# SPDX-License-Identifier: Apache-2.0
# Expressions in aggregates and tests.
cat > orders.csv <<'END'
city,qty,stock,price,discount,weight
Oslo,3,10,1.50,0.10,0.5
Bern,8,10,20.25,0.05,1.25
Oslo,,4,7.00,0.00,2
Bern,1,1,0.99,0.25,
END
bobbin compress orders.csv -o orders.bob -q
bobbin query orders.bob --agg 'sum(price * (1 - discount)),avg(qty + stock),max(2 * qty - 1),count(qty * stock)' --backend cpu
bobbin query orders.bob --where '2 * qty > stock' --agg 'count(), sum(-(qty) * 1.5)' --backend cpu
bobbin query orders.bob --group city --agg 'sum(price * weight),min(price - 1)' --backend cpu
bobbin query orders.bob --where 'qty * stock is null' --select 'city,stock' --backend cpu
bobbin query orders.bob --agg 'sum(qty * price)' --json --backend cpu
for agg in 'sum(city * 2)' 'sum(2 * 3)' 'sum(qty / 2)' 'count(distinct qty + 1)' 'sum(qty * )'; do
  bobbin query orders.bob --agg "$agg" || true
done
