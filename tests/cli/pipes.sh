# SPDX-License-Identifier: Apache-2.0
# stdin and stdout, by name and by default; a .bob file may come through a pipe.
make i16 5000 'i % 300 - 150' > a.bin
bobbin compress - --type i16 -o - < a.bin > a.bob
cat a.bob | bobbin decompress > b.bin
cmp a.bin b.bin && echo the same
cat a.bob | bobbin decompress - --rows 2:5 | show i16
cat a.bob | bobbin verify -
cat a.bob | bobbin inspect - | head -1
cat a.bin | bobbin compress --type i16 -o c.bob
cmp a.bob c.bob && echo the same file
# A stream without an end that does not begin like a file is refused at its first bytes.
for verb in verify cat inspect schema stats; do
  cat /dev/zero | status timeout 60 bobbin $verb -
done
yes | status timeout 60 bobbin zstd -t
yes | status timeout 60 bobbin zstd -d -c
