# SPDX-License-Identifier: Apache-2.0
# Text that is not a table is refused with its line and byte, and no file is written.
try() { printf "$1" > t.csv && shift && status bobbin compress t.csv -q "$@"; }
try 'a,b\n1,2\n3\n'
try 'a,b\n1,2\n3,4,5\n'
try 'a,b\n1,"2\n' --quote '"'
try 'a,b\n1,"2"x"y\n' --quote '"'
try 'a,\201\n1,2\n'
try 'a,b\n1,2\n300,4\n' --schema u8,u8
try 'a,b\n1,2\nx,4\n' --schema a:date,b:u8
try 'a\n\201\n' --schema utf8
try 'a,b\n1,2\n' --schema x:u8,y:u8
try 'a,b\n1,2\n' --schema u8
head -c 70000000 /dev/zero | tr '\0' 'x' > long.csv
status bobbin compress long.csv -q
# Usage.
status bobbin compress t.csv --schema a:u7
status bobbin compress t.csv --delimiter ab
status bobbin compress t.csv --csv --type u8
status bobbin compress t.csv --delimiter '"'
status bobbin compress t.csv --null 'a,b'
printf 'a,b\n1,2\n' > t.csv
bobbin compress t.csv -q
status bobbin cat t.csv.bob --columns a,c
status bobbin cat t.csv.bob --rows 0:9
status bobbin decompress t.csv.bob --csv --as lines -o x
status bobbin schema t.csv.bob --text --json
ls
# Two columns below a title.
printf 'My title\n\na;b\n1;2\n3;4\n' > title.csv
status bobbin compress title.csv
