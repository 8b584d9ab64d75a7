# SPDX-License-Identifier: Apache-2.0
# Bytes and ratios are recorded; speeds are whatever they are.
make u32 4096 'i % 100' > a.bin
bobbin bench a.bin --type u32 --runs 1 --cache warm --backend cpu | tail -7 | cut -d '|' -f 2-7
bobbin bench - --type u32 --runs 1 --cache warm --backend cpu < a.bin | tail -7 | wc -l
