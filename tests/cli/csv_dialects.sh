# SPDX-License-Identifier: Apache-2.0
# The dialect is detected and reported; options override it.
try() { printf "$1" > t.csv && shift && bobbin compress t.csv -f -o t.bob "$@" 2>&1 | grep -v ratio; bobbin cat t.bob; }
try 'a;b\n1,5;2\n2,5;3\n'
try '1|x\n2|y\n'
try 'a,b\r1,2\r'
try "a,b\n'x,y',2\n'z',3\n"
try 'a;b\n1;2\n' --delimiter ,
try '1,2\n3,4\n' --header
try 'title\n# note\na,b\n1,2\n3\n' --skip 1 --comment '#' --ragged pad
try 'Sales\n2024\n\na,b,c\n1,2,3\n4,5,6\n'
try 'a,b\n1,2,3\n4\n' --ragged pad
try 'a,b\n"x\\"y",2\n' --escape '\'
try 'a,b\n1,"x \\"y\\" u"\n2,"v"\n'
try 'a,b\n1,"x \\"y\\" u"\n2,"v"\n' --escape none
try 'a,b\n"x,2\n' --quote none
try 'name\n"x,y"\n"u,v"\n'
try 'a, "b"\n1, "x, y"\n2, "z"\n'
try 'a,b\n1,2,\n3,4,\n'
try 'a,b\n # note\n1,2\n3,4\n'
try 'Sales, by region\na,b,c\n1,2,3\n4,5,6\n'
try 'gr\366\337e\n1\n' --encoding latin1
try '\377\376a\000,\000b\000\n\0001\000,\0002\000\n\000'
# Values of a text without quotes are quoted where another delimiter needs it, and come back with the same one.
printf 'n\tx\n1\ta,b\n2\t"\n3\tc\n' > bare.tsv
bobbin compress bare.tsv -q && bobbin decompress bare.tsv.bob -q -o bare.csv && cat bare.csv
bobbin decompress bare.tsv.bob -q -o again.tsv && cmp bare.tsv again.tsv && echo same
printf 'x\nhello, world\nfoo\n' > one.csv
bobbin compress one.csv -q && bobbin decompress one.csv.bob -q -o again.csv && cmp one.csv again.csv && echo same
# Duplicate names, and a column that is text because of one value.
try 'a,a,\n1,2,3\n'
{ echo rate,n; for i in 1 2 3 4 5; do echo "0.$i,$i"; done; echo unknown,6; } > late.csv
bobbin compress late.csv -f -o late.bob 2>&1 | grep -v ratio
bobbin compress late.csv -f -o late.bob --null unknown -q && bobbin schema late.bob --text
bobbin compress late.csv -f -o late.bob --schema 'n: f64' -q && bobbin schema late.bob --text
bobbin decompress late.bob -q -f -o again.csv && cmp late.csv again.csv && echo same
# A column with an empty name can be selected.
printf '"",b\n1,2\n' > empty_name.csv
bobbin compress empty_name.csv -q && bobbin decompress empty_name.csv.bob --column '' -o - | show i64
# Blanks before a name in a list do not belong to it, unless it is quoted.
printf 'a, b,b\n1,2,3\n' > blanks.csv
bobbin compress blanks.csv -q && bobbin cat blanks.csv.bob --columns 'b, a, " b"'
bobbin query blanks.csv.bob --group 'a, b' --csv && bobbin query blanks.csv.bob --select 'a, b' --csv
# Compressed input, also from a pipe and in several streams; truncated input is refused.
printf 'a,b\n1,2\n' > one.csv
printf 'a,b\n3,4\n' > two.csv
gzip -k one.csv
bobbin compress one.csv.gz -q && bobbin cat one.csv.gz.bob
mv one.csv kept.csv && bobbin decompress one.csv.gz.bob -q && cmp one.csv kept.csv && mv kept.csv one.csv
{ gzip -c one.csv; tail -n +2 two.csv | gzip -c; } | bobbin compress --csv -q -o piped.bob && bobbin cat piped.bob
head -c 20 one.csv.gz > cut.csv.gz
status bobbin compress cut.csv.gz -q
# Several files.
bobbin compress one.csv two.csv one.csv.gz -q -o all.bob && bobbin cat all.bob
printf 'a,c\n3,4\n' > other.csv
status bobbin compress one.csv other.csv -q -o all.bob -f
# A null comes back as it was: with the marker that occurred, not with the first that was given.
for text in '' NA -; do
  printf 'a,b\n1,%s\n2,x\n' "$text" > nulls.csv
  bobbin compress nulls.csv -q -f --null NA --null - && bobbin decompress nulls.csv.bob -q -f -o again.csv
  cmp nulls.csv again.csv && echo same
done
