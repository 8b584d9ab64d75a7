# SPDX-License-Identifier: Apache-2.0
# Finds strings by equality, by prefix and by substring.
python3 -c 'for i in range(5000): print("%s/%d" % (["alpha", "beta", "gamma"][i // 2000], i))' > paths.txt
bobbin compress paths.txt --type lines --rows-per-group 1000 --backend cpu -q
bobbin grep paths.txt.bob --equals beta/2500 --backend cpu
bobbin grep paths.txt.bob --prefix alpha/199 --backend cpu
bobbin grep paths.txt.bob --contains a/499 --backend cpu
for test in equals prefix contains; do bobbin grep paths.txt.bob --$test beta --count --backend cpu; done
bobbin grep paths.txt.bob --prefix '' --count --backend cpu
bobbin grep paths.txt.bob --equals '' --count --backend cpu
printf 'tab\there\n\377\n\303\266\n\n' | bobbin compress --type lines --backend cpu | bobbin grep - --contains '' --backend cpu
# A row group that cannot contain the string is not read: the first one is damaged.
flip paths.txt.bob 500
bobbin grep paths.txt.bob --prefix gamma/4999 --backend cpu
status bobbin grep paths.txt.bob --prefix alpha/19 --backend cpu
# Mistakes.
status bobbin grep paths.txt.bob
status bobbin grep paths.txt.bob --equals a --prefix a
make u32 3 i | bobbin compress --type u32 > numbers.bob
status bobbin grep numbers.bob --equals a
status bobbin grep paths.txt.bob --column nope --equals a
status bobbin grep missing.bob --equals a
printf 'n,a,b\n1,x,y\n' > two.csv
bobbin compress two.csv -q
status bobbin grep x two.csv.bob
# The emulator runs the GPU kernels: the same file, the same strings.
head -n 300 paths.txt > few.txt
bobbin compress few.txt --type lines --rows-per-group 200 --backend cpu -o cpu.bob -q
bobbin compress few.txt --type lines --rows-per-group 200 --backend emulator -o emulator.bob -q
cmp cpu.bob emulator.bob && bobbin decompress emulator.bob --backend emulator -o - | cmp - few.txt && echo same
for test in equals prefix contains; do bobbin grep cpu.bob --$test a/29 --count --backend emulator; done
bobbin grep cpu.bob --contains /29 --backend emulator | tail -n 2
# A pattern as the first argument, ignoring case, and the exit status of grep.
printf 'Apple\nbanana\nAPPLE pie\n' | bobbin compress --type lines > fruit.bob
status bobbin grep pp fruit.bob
status bobbin grep -i PP fruit.bob
status bobbin grep -ic apple fruit.bob
status bobbin grep fruit.bob --equals apple -i
status bobbin grep -i --prefix APPLE fruit.bob
status bobbin grep cherry fruit.bob
status bobbin grep -c cherry fruit.bob
status bobbin grep '' fruit.bob -c
status bobbin grep pp
status bobbin grep --contains pp ''
terminal env NO_COLOR= TERM=xterm bobbin grep anan fruit.bob | cat -v
terminal env NO_COLOR=1 TERM=xterm bobbin grep anan fruit.bob | cat -v
# The only string column need not be named.
printf 'n,s\n1,x\n2,yx\n' > t.csv; bobbin compress t.csv -q -o t.bob
bobbin grep y t.bob
printf 'n,m\n1,2\n' > u.csv; bobbin compress u.csv -q -o u.bob
status bobbin grep y u.bob
