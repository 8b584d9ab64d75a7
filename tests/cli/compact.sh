# SPDX-License-Identifier: Apache-2.0
# The goal compact: smaller, the same values, row ranges, grep and queries; --why names the goal.
python3 - > table.csv <<'END'
print("id,when,what,price")
for i in range(3000):
    print(f"{i},2024-{i % 12 + 1:02}-{i % 28 + 1:02}T{i % 24:02}h,order {i * 7919 % 3000} of {'small green large'.split()[i * i % 7 % 3]} things,{i * i % 97}.{i % 7}5")
END
bobbin compress table.csv -o smallest.bob -q
bobbin compress --goal compact table.csv -o compact.bob -q
test $(stat -c %s compact.bob) -lt $(($(stat -c %s smallest.bob) * 9 / 10)) && echo compact is smaller
bobbin decompress compact.bob -o - | cmp - table.csv && echo the same values
bobbin verify compact.bob
bobbin inspect compact.bob | grep -o 'zstd: 1 chunk of utf8' | sort | uniq -c
bobbin head -n 2 compact.bob
bobbin cat --rows 1500:1502 compact.bob
bobbin grep --count --column what "order 1919 of" compact.bob
bobbin grep --count --column what "order 12 of" compact.bob
bobbin query --where 'price < 1' --agg 'count()' compact.bob
bobbin inspect --why compact.bob | grep -c 'goal compact'
# By name, for numbers and strings.
make u32 4096 'i * i % 1000' > numbers.bin
bobbin compress numbers.bin --type u32 --codec zstd -o numbers.bob -q
bobbin decompress numbers.bob -o - | cmp - numbers.bin && bobbin inspect numbers.bob | tail -1 | grep -o 'zstd: 1 chunk of u32'
status bobbin compress --goal small table.csv -o x.bob
