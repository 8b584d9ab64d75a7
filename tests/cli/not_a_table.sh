# SPDX-License-Identifier: Apache-2.0
# Files that are not tables: what they look like, and what is expected.
mkdir folder
: > empty
echo '{"a": 1}' > t.json
printf 'PK\3\4aaaaaaaaxl/workbook.xml' > t.xlsx
make u32 100 i > raw.bin
printf '<html>' > page
for file in folder empty t.json t.xlsx raw.bin page missing; do
  status bobbin query $file
done
for verb in cat head schema stats inspect verify 'grep x' bench zstd 'decompress -o x' 'report -o x' 'compress' 'compress --type u8' 'scan --type u8 -o x'; do
  status bobbin $verb folder
done
bobbin cat < raw.bin
bobbin query - < t.json
# JSON in its first field, and a name that says CSV.
printf '[1,2]\n[3,4]\n' > t.csv
bobbin cat t.csv
# A damaged .bob file is damaged, not CSV: also if its first bytes are text, and if it has another name.
bobbin compress raw.bin --type u32 -q -o t.bob
head -c 5 t.bob > cut.bob
printf 'a,b\n' | dd of=t.bob conv=notrunc status=none
status bobbin query t.bob
cp t.bob other; status bobbin schema other
status bobbin cat cut.bob
: > none.bob; status bobbin verify none.bob
ls
