# SPDX-License-Identifier: Apache-2.0
# The same conventions as other verbs: nothing is overwritten without -f, the source is kept, "-" is stdin or stdout.
make u32 4 'i + 1' > a.bin
make u32 4 1 > b.bin
status bobbin scan a.bin --type u32 -o x.bin
cp x.bin before.bin
status bobbin scan b.bin --type u32 -o x.bin
cmp x.bin before.bin && echo kept
status bobbin scan b.bin --type u32 -o x.bin --force
show u32 < x.bin | xargs
status bobbin scan a.bin --type u32 -o ./a.bin -f
show u32 < a.bin | xargs
bobbin scan - --type u32 -o - < a.bin | show u32 | xargs
cat a.bin | bobbin scan --type u32 | show u32 | xargs
bobbin scan a.bin --type u32 -o /dev/null && test -c /dev/null && echo /dev/null is still there
status terminal bobbin scan a.bin --type u32 -o -
: > empty.bin
status bobbin scan empty.bin --type u64 -o nothing.bin
status bobbin scan empty.bin --type u64 -o nothing2.bin --backend emulator
# Longer than a block of reading, from a file and from a pipe.
make u16 1500001 'i % 7' > long.bin
bobbin scan long.bin --type u16 -o long.out -q
cat long.bin | bobbin scan --type u16 | cmp - long.out && echo the same
bobbin scan long.bin --type u16 -o - | python3 -c 'import array, itertools, sys
data = sys.stdin.buffer.read()
want = array.array("H", (s % 65536 for s in itertools.accumulate(i % 7 for i in range(1500001)))).tobytes()
print(data == want)'
{ bobbin scan long.bin --type u16 -o -; echo "status $?" >&2; } | head -c 4 | show u16 | xargs
ls -A
