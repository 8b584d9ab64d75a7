# SPDX-License-Identifier: Apache-2.0
# Dates, numbers and nulls as people write them have types, and come back as they were.
try() {
  printf "$1" > t.csv && shift && bobbin compress t.csv -f -o t.bob "$@" 2>&1 | grep -v -e ratio -e delimiter
  bobbin schema t.bob --text && bobbin cat t.bob --format jsonl
  bobbin decompress t.bob -q -f -o again.csv && cmp t.csv again.csv && echo same
}
try 'when;zip;price\n8/20/17;00501;$5.00\n12/1/17;12345;$1,234.50\n'
try 'at;share\n01/01/2014 12:00:00 AM;10%%\n01/13/2014 01:30:00 PM;5%%\n'
try 'born;total\nJanuary 15, 1980;2 525 779\nMay 2, 1975;1 000\n'
# What could be read in several ways is text, unless options decide.
try 'when;paid\n01/02/2014;1,234\n03/04/2014;5,678\n'
try 'when;paid\n01/02/2014;1,234\n03/04/2014;5,678\n' --date-format %d/%m/%Y --thousands ,
try 'day;paid\n20140115;1,234\n20140116;5,678\n' --date-format %Y%m%d --decimal ,
# Words for null, and empty fields in quotes.
try 'rate,n\n1.5,1\nNA,2\n,3\n2.5,n/a\n'
try 'rate,n\n1.5,1\nNA,2\n' --null none
try 'a,b\n"1","2.5"\n"","3.5"\n"3",""\n'
try 'a,b\nNA,x\nN/A,NA\n'
try 'a,b\n1,x\nNA,NA\n' --schema a:i64
# Errors.
status bobbin compress t.csv -f --date-format %d/%m
status bobbin compress t.csv -f --date-format '%d/%m/%Y %q'
status bobbin compress t.csv -f --decimal x
status bobbin compress t.csv -f --thousands , --decimal ,
printf 'when,n\n1/2/2014,1\n' > t.csv
status bobbin compress t.csv -f --schema when:date
