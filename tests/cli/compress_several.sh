# SPDX-License-Identifier: Apache-2.0
# Several files: one output for each, as zstd does; with -o one table.
printf 'a,b\n1,2\n' > a.csv; printf 'a,b\n3,4\n' > b.csv; printf 'x\ny\n' > c.csv
make u8 100 i > d.bin; make u8 50 i > e.bin
bobbin compress a.csv b.csv c.csv -q
ls *.bob; bobbin cat c.csv.bob; rm *.bob
bobbin compress a.csv b.csv -q -o all.bob && bobbin cat all.bob
bobbin compress d.bin e.bin --type u8 -q && ls *.bin.bob
# If one fails, the others are still compressed; nothing is overwritten without -f.
status bobbin compress a.csv missing.csv d.bin.bob/x.csv b.csv -q
ls *.csv.bob
status bobbin compress a.csv c.csv -q
bobbin compress -f a.csv c.csv
# Options are checked for all of them first.
rm *.bob; mkdir folder
status bobbin compress a.csv d.bin
status bobbin compress a.csv -
status bobbin compress d.bin e.bin --type u8 -o both.bob
status bobbin compress a.csv c.csv -o both.bob
status bobbin compress a.csv folder -q
ls
