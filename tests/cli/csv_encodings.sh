# SPDX-License-Identifier: Apache-2.0
# Texts that are not UTF-8 are read as such, and come back.
same() { bobbin decompress t.csv.bob -q -f -o again.csv && cmp t.csv again.csv && echo same; }
try() { printf "$1" > t.csv && shift && bobbin compress t.csv -f "$@" 2>&1 | grep -v ratio; bobbin schema t.csv.bob --text; }
try 'name,v\nJos\351,1\nM\374ller,2\n'
bobbin query t.csv.bob --where "name = 'José'" --agg 'count()' --csv
bobbin cat t.csv.bob
same
bobbin decompress t.csv.bob -q -o - --encoding utf8
try 'name,v\nit\222s,1\n'
same
try 'name,v\nJos\351,1\n' --encoding utf8
same
try 'name,v\na\201,1\n'
same
try 'name,v\na\201,1\n' --encoding cp1252
same
try 'a\000,\000b\000\n\0001\000,\0002\000\n\000'
same
bobbin decompress t.csv.bob -q -o - --encoding windows1252
# A character that an encoding lacks.
try 'name\n\344\270\255\n'
status bobbin decompress t.csv.bob -q -o - --encoding latin1
status bobbin compress t.csv -q -f --encoding ebcdic
