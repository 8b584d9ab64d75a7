# SPDX-License-Identifier: Apache-2.0
# One line per column, from the footer alone.
bobbin-test-table t.bob
bobbin stats t.bob
bobbin-test-table nulls.bob nulls
bobbin stats nulls.bob
bobbin stats nulls.bob --json
# Strings: bounds are quoted, and truncated only in the table.
python3 -c 'for i in range(3000): print("https://example.org/\u00e9t\u00e9/%04d" % i)' > urls.txt
bobbin compress urls.txt --type lines --utf8 --backend cpu -q
cat urls.txt.bob | bobbin stats -
bobbin stats urls.txt.bob --json | grep -E '"(min|max|rows|nulls)"'
# Only the footer is read: a damaged column does not matter.
make u32 5000 'i * 7919 % 65536' > a.bin
bobbin compress a.bin --type u32 --codec bitpack --backend cpu -q
flip a.bin.bob 2000
status bobbin verify a.bin.bob --backend cpu
status bobbin stats a.bin.bob
# No rows.
: > empty.bin
bobbin compress empty.bin --type u32 -q --backend cpu
bobbin stats empty.bin.bob
status bobbin stats missing.bob
status bobbin stats
