# SPDX-License-Identifier: Apache-2.0
# Wrong usage: one line on stderr and status 2, before any file is accessed.
make u32 10 i > a.bin
status bobbin frobnicate
status bobbin compress a.bin
status bobbin compress a.bin --type u33
status bobbin compress a.bin --type u32 --codec gzip
status bobbin compress a.bin --type u32 --rows-per-group 0
status bobbin compress a.bin --type u32 --rows-per-group 16777217
status bobbin compress a.bin --type u32 --backend gpu
status bobbin compress a.bin --type u32 --slack 5
status bobbin compress a.bin --type u32 --goal fastest --slack nan
status bobbin compress a.bin b.bin --type u32 -o c.bob
status bobbin decompress a.bob --rows 7
status bobbin decompress a.bob --rows 9:3
status bobbin decompress a.bob --rows x:3
status bobbin inspect
status bobbin verify
status bobbin bench
status bobbin bench a.bin
status bobbin bench a.bin --type u32 --sample
status bobbin bench --sample --cache lukewarm
ls
status bobbin bench --sample --runs many
