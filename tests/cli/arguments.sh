# SPDX-License-Identifier: Apache-2.0
# Options before and after files: every option takes exactly one value.
printf 'a,b\n1,NA\n2,x\n' > t.csv
bobbin compress t.csv -o x.bob -q
cp x.bob before.bob
# The file's name is not a second null.
bobbin compress --null NA t.csv -o x.bob -f -q
bobbin query x.bob --agg 'count(a),count(b)'
bobbin compress --codec a=bitpack --schema a:i64,b:utf8 t.csv -o y.bob -q; bobbin cat y.bob
# An empty value is a value.
bobbin compress --null= -o z.bob t.csv -q
bobbin cat z.bob --null= --limit 1
bobbin grep --column b --equals= --count z.bob
# An empty name is not "no name".
status bobbin compress '' --csv -o e.bob
status bobbin compress t.csv -o ''
status bobbin compress t.csv --output=
status bobbin verify x.bob ''
status bobbin cat x.bob --columns=
status bobbin cat x.bob --limit=
# An empty input is not a table.
cp before.bob x.bob
status bobbin compress --csv -o x.bob -f < /dev/null
status bobbin compress --type u32 -o x.bob -f < /dev/null
# Nor are lines that are skipped, or comments.
status bobbin compress t.csv --skip 3 -o x.bob -f
status bobbin compress t.csv --skip -1 -o x.bob -f
printf '# note\n' > notes.csv
status bobbin compress notes.csv --comment '#' -o x.bob -f -q
cmp x.bob before.bob && echo kept
rm notes.csv
bobbin compress --type u32 -o x.bob -f -q --allow-empty < /dev/null
bobbin schema x.bob
# Files with names that look like something else.
cp before.bob cat; cp before.bob ./-f; cp before.bob '[a,b]'
bobbin verify cat '[a,b]' -- -f
# A flag has no value, and mistakes are reported.
status bobbin stats --json=false x.bob
status bobbin cat --limit
status bobbin cat --limt 3 x.bob
status bobbin cat --limit 010 x.bob
status bobbin comprss x.bob
ls
