# SPDX-License-Identifier: Apache-2.0
# Dictionaries of strings and of numbers, through every verb that reads them.
for i in 1 2 3 4 5 6; do printf 'Bern\nGenf\n\nBern\nChur\n'; done > towns.txt
bobbin compress towns.txt --type lines --codec dict --backend cpu
bobbin inspect towns.txt.bob
bobbin verify towns.txt.bob --backend cpu
bobbin verify towns.txt.bob --backend emulator
bobbin decompress towns.txt.bob -o - | cmp - towns.txt && echo same
for test in equals prefix contains; do bobbin grep towns.txt.bob --$test Be --count --backend cpu; done
bobbin grep towns.txt.bob --equals Chur --backend cpu | head -2
bobbin query towns.txt.bob --where "value = 'Bern'" --backend cpu
bobbin query towns.txt.bob --group value --backend cpu
make u32 3000 'i % 7 * 1000' > numbers.bin
bobbin compress numbers.bin --type u32 --codec dict --backend cpu
bobbin inspect numbers.bin.bob
bobbin decompress numbers.bin.bob -o - | cmp - numbers.bin && echo same
bobbin query numbers.bin.bob --where 'value in (1000, 3000)' --agg 'count(),sum(value)' --backend cpu
