# SPDX-License-Identifier: Apache-2.0
# A terminal shows fewer columns rather than parts of numbers and dates; long text is truncated.
{ echo 'id,pickup_datetime,note,amount,dropoff_datetime,weight'
  for i in 1 2 3; do echo "$i,2021-01-0$i 10:00:00,$(printf 'long text %.0s' {1..20})$i,1234567.50,2021-01-0$i 11:30:00,0.12345678901234"; done; } > t.csv
bobbin compress -q t.csv -o t.bob
terminal env NO_COLOR=1 bobbin cat t.bob
terminal env NO_COLOR=1 bobbin head t.csv --columns pickup_datetime,dropoff_datetime,id,amount,weight
terminal env NO_COLOR=1 bobbin query t.bob --select '*'
terminal env NO_COLOR=1 bobbin query t.bob --group pickup_datetime,note --agg 'sum(amount)'
# Elsewhere nothing is left out.
bobbin cat t.bob --format table | wc -L
bobbin query t.bob --select '*' | wc -L
bobbin stats t.bob | head -3
