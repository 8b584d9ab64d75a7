# SPDX-License-Identifier: Apache-2.0
# The source is kept, even with -f.
make u32 100 i > a.bin
ln -s a.bin link.bin
status bobbin compress a.bin --type u32 -o ./a.bin -f
status bobbin compress link.bin --type u32 -o a.bin -f
bobbin compress a.bin --type u32 -q
status bobbin decompress a.bin.bob -o a.bin.bob -f
bobbin verify a.bin.bob
# Neither is one of several, nor the file that stdout appends to.
printf 'a,b\n1,x\n' > jan.csv; printf 'a,b\n2,y\n' > feb.csv; ln feb.csv hard.csv
status bobbin compress jan.csv feb.csv -o feb.csv -f
status bobbin compress jan.csv feb.csv -o hard.csv -f
status bobbin compress jan.csv - -o all.bob
cp a.bin.bob b.bob
bobbin cat b.bob >> b.bob; echo "status $?"
bobbin decompress b.bob -o - 1<> b.bob; echo "status $?"
bobbin compress --type u32 < b.bob >> b.bob; echo "status $?"
cmp a.bin.bob b.bob && cat feb.csv
# A stream's name means the stream.
(echo head; bobbin decompress b.bob -o /dev/stdout -f --format csv; echo tail) > text
head -n 3 text; tail -n 1 text
bobbin compress /dev/stdin --type u32 < a.bin | cmp - a.bin.bob && echo from stdin
bobbin compress a.bin --type u32 --codec delta --codec bitpack 2>&1
bobbin compress a.bin --type u32 --codec value=delta --codec value=bitpack 2>&1
