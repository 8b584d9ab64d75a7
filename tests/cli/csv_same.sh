# SPDX-License-Identifier: Apache-2.0
# Texts of other programs come back byte for byte, with whatever a writer would not write by itself.
same() {
  printf "$1" > t.csv && shift
  bobbin compress t.csv -q -f "$@" && bobbin decompress t.csv.bob -q -f -o again.csv && cmp t.csv again.csv && echo same
}
same ',a,b\n1,2,3\n'
same '"a","b"\n"1","x"\n"","y"\n'
same 'a,b\n1,x\n2,"y"\n"3",z'
same 'a,b\r\n1.50,NA\r\n1.5,-\r\n,x\r\n' --null NA --null -
same '\357\273\277a,b\r\n1,2\n3,4\r\n'
same 'Sales, by region\na,b,c\n1,2,3\n# a note\n4,5,6\n\n'
same 'a|b\n"Weird Al" Y|1\nx|5" pipe\n'
same 'a,b\n1,2,\n3,4,\n'
same 'a,b\n+1,01\n2,2\n' --schema i64,u8
# A text in tabs stays so even if its name is that of another.
same 'a\tb\n1\tx y\n'
# Hidden columns are not part of the table.
printf 'a,b\n1,x\n2,"y"\n"3",z' > t.csv
bobbin compress t.csv -q -f -o t.bob
bobbin schema t.bob --text
bobbin query t.bob --select '*' --csv
bobbin cat t.bob --columns b --limit 2
bobbin cat t.bob --rows 1:
bobbin cat t.bob --where 'a >= 2' --format csv
bobbin cat t.bob --json --limit 1
bobbin cat t.bob --delimiter ';'
bobbin stats t.bob --json | python3 -c 'import json, sys; print([c["name"] for c in json.load(sys.stdin)["columns"]])'
bobbin verify t.bob
# What does not come back is reported.
printf 'a,b\n1\n2,3\n' > t.csv
bobbin compress t.csv -f -o t.bob --ragged pad 2>&1 | grep -v ratio
