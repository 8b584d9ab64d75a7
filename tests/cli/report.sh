# SPDX-License-Identifier: Apache-2.0
# A page about a file: its contents, and what is refused.
bobbin-test-table t.bob
status bobbin report t.bob -o page.html
grep -c 'class="col"' page.html
grep -oE '<tr><th scope="row" title="[a-z]+"><bdi>[a-z]+</bdi></th><td>[a-z0-9]+</td>' page.html
# The same file gives the same page, in a file or on stdout; a file from a pipe only has another name.
bobbin report t.bob -o - | cmp - page.html && echo same
cat t.bob | bobbin report - -o - | sed 's/stdin/t.bob/g' | cmp - page.html && echo same
# With --no-peers only the footer is read, so that damage does not matter.
make u32 5000 'i * 7919 % 65536' > a.bin
bobbin compress a.bin --type u32 --codec bitpack --backend cpu -q
flip a.bin.bob 2000
status bobbin report a.bin.bob -o damaged.html
status bobbin report a.bin.bob -o damaged.html --no-peers -q
grep -oE 'zstd|lz4|not measured' damaged.html | wc -l
# Nothing is overwritten without -f, and the old file is kept on failure.
echo mine > old.html
status bobbin report t.bob -o old.html
cat old.html
status bobbin report a.bin.bob -o old.html -f
cat old.html
status bobbin report t.bob -o old.html -f -q
cmp old.html page.html && echo same
status bobbin report t.bob -o t.bob -f
mkdir folder
status bobbin report t.bob -o folder
status bobbin report t.bob -o nowhere/page.html
status bobbin report missing.bob -o new.html
echo 'no such format' > text.bob
status bobbin report text.bob -o new.html
status bobbin report t.bob
status bobbin report
status terminal bobbin report t.bob -o -
# A table without rows has only the table of columns. Names that look like HTML are text.
: > empty.bin
bobbin compress empty.bin --type u32 -q --backend cpu
bobbin report empty.bin.bob -o empty.html -q
grep -o '<h2.*' empty.html
cp t.bob '<script>.bob'
bobbin report '<script>.bob' -o - | grep -c '<script'
ls -A
