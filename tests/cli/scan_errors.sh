# SPDX-License-Identifier: Apache-2.0
# Wrong usage gives status 2, before any file is accessed; data that do not fit give status 1. No output is written.
make u32 10 i > a.bin
head -c 13 /dev/zero > odd.bin
mkdir folder
status bobbin scan a.bin -o x.bin
status bobbin scan a.bin --type u32
status bobbin scan a.bin --type u33 -o x.bin
status bobbin scan a.bin --type u32 -o x.bin --op avg
status bobbin scan a.bin --type u32 -o x.bin --order 9
status bobbin scan a.bin --type u32 -o x.bin --order 0
status bobbin scan a.bin --type u32 -o x.bin --tuple 33
status bobbin scan a.bin --type u32 -o x.bin --tuple -1
status bobbin scan a.bin --type u32 -o x.bin --scheme fast
status bobbin scan a.bin --type u32 -o x.bin --backend gpu
status bobbin scan a.bin --type f32 -o x.bin --order 2
status bobbin scan a.bin --type f64 -o x.bin --op max
status bobbin scan a.bin --type u32 -o x.bin --op max --scheme rounds
status bobbin scan a.bin b.bin --type u32 -o x.bin
echo "not usage"
status bobbin scan odd.bin --type u32 -o x.bin
cat odd.bin | status bobbin scan --type u32 -o x.bin
cat odd.bin | status bobbin scan --type u32
status bobbin scan gone.bin --type u32 -o x.bin
status bobbin scan folder --type u32 -o x.bin
status bobbin scan a.bin --type u32 -o folder -f
status bobbin scan a.bin --type u32 -o nowhere/x.bin
status bobbin scan a.bin --type u32 -o /dev/full
CUDA_VISIBLE_DEVICES= status bobbin scan a.bin --type u32 -o x.bin --backend cuda
ls -A
