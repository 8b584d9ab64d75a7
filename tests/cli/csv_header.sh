# SPDX-License-Identifier: Apache-2.0
# Which line has the names is said where there is doubt, and 'head' shows the names that were made up.
try() { printf "$1" > t.csv && shift && bobbin compress t.csv -f "$@" 2>&1 | grep -v ratio; }
same() { bobbin decompress t.csv.bob -q -f -o again.csv && cmp t.csv again.csv && echo same; }
try 'state,2021\nAL,-1.5\nAK,3.25\n'
bobbin query t.csv.bob --agg 'sum("2021")' --csv
try 'AL,-1.5\nAK,3.25\n'
bobbin head t.csv.bob
bobbin head t.csv.bob --format csv
bobbin head t.csv.bob --no-header
bobbin cat t.csv.bob
bobbin cat t.csv.bob --format table
same
try 'AL,-1.5\nAK,3.25\n' --no-header
try 'x,y\nu,v\n'
# The header of R and pandas has no name for the names of the rows.
try 'A,B,C\n2000-01-03,1,2,3\n2000-01-04,4,5,6\n'
bobbin schema t.csv.bob --text
same
bobbin head t.csv.bob
bobbin cat t.csv.bob --columns B
try 'x;y\n1;a;b\n2;c;d\n'
same
try 'A,B,C\n2000-01-03,1,2,3\n2000-01-04,4,5,6\n' --ragged pad
bobbin schema t.csv.bob --text
# A record with more fields than names is another thing.
try 'a,b\n1,2,3\n4,5\n'
try 'a,b\n1,2,3\n4,5\n' --ragged pad
