# SPDX-License-Identifier: Apache-2.0
# Devices and named pipes are written to, never replaced. (/dev/full: the disk is full.)
make u32 100000 i > a.bin
bobbin compress a.bin --type u32 -q
status bobbin compress a.bin --type u32 -o /dev/null
status bobbin decompress a.bin.bob -o /dev/null
status bobbin compress a.bin --type u32 -o /dev/full
status bobbin decompress a.bin.bob -o /dev/full
bobbin inspect a.bin.bob > /dev/full
echo "status $?"
mkfifo pipe
cat pipe > back.bin &
status bobbin decompress a.bin.bob -o pipe
wait
cmp a.bin back.bin && test -c /dev/null && test -p pipe && echo all still there
