# SPDX-License-Identifier: Apache-2.0
# Bytes and ratios are recorded; speeds vary, and libraries to compare with may be missing.
make u32 4096 'i % 100' > a.bin
bobbin bench a.bin --type u32 --runs 1 --cache warm --backend cpu > table.txt
grep -E '(bitpack|ffor|delta|memcpy)' table.txt | cut -d '|' -f 2-7 | sed 's/ *$//'
grep -cE '(zstd -1|lz4)' table.txt
bobbin bench - --type u32 --runs 1 --cache warm --backend cpu < a.bin | grep -c stdin
