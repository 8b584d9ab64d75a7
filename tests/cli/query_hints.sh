# SPDX-License-Identifier: Apache-2.0
# Names that were mistyped, functions and other things that there are not, dates without quotes, booleans alone.
cat > t.csv <<'END'
vendor,fare_amount,tip_amount,day,paid
1,10.50,2.00,2014-01-01,true
2,7.25,0.00,2014-02-01,false
2,3.00,,2014-03-01,
END
bobbin compress -q t.csv -o t.bob
for where in 'fair > 10' 'Vendor = 1' "day >= 2014-01-15" 'day between 2014-01-01 and 2014-02-01' 'day < 2014/01/15' 'vendor % 2 = 1' 'vendor = 1;' \
    'vendor = 1 && paid' 'upper(vendor) = 1' 'sum(vendor) > 1' 'vendor in (1, null)' 'vendor = null' 'vendor' 'day = paidd'; do
  status bobbin query t.bob --where "$where"
done
for group in fair 'upper(vendor)' 'distinct vendor' 'vendor+1' 'vendor as v'; do
  status bobbin query t.bob --group "$group"
  status bobbin query t.bob --select "$group"
done
status bobbin query t.bob --order 'upper(vendor)'
status bobbin query t.bob --group vendor --order 'fair'
status bobbin query t.bob --agg 'median(vendor)'
status bobbin query t.bob --agg 'sum(fair)'
status bobbin cat t.bob --columns 'vendor,fair'
status bobbin grep x t.bob --column dya
status bobbin query t.bob --group vendor --select day
status bobbin query t.bob --agg 'count()' --select day
status bobbin query t.bob t.csv
for where in paid 'not paid' 'paid is true' 'paid is not true' 'not (paid is true)' 'paid is false' 'paid is not false' '(paid) or vendor = 1' "day >= '2014-01-15'"; do
  echo "$where: $(bobbin query t.bob --where "$where" --csv | tail -1)"
done
