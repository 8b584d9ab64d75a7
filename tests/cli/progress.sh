# SPDX-License-Identifier: Apache-2.0
# Work of more than a second shows its progress, only on a terminal; quick work shows nothing.
make u8 1000 'i % 10' > a.bin
slow() { cat a.bin; sleep 1.3; cat a.bin; sleep 0.2; cat a.bin; }
export -f slow
terminal bash -c 'slow | bobbin compress --type u8 -o slow.bob' | tr '\r' '\n' | sed 's/\x1b\[K//g' | sed 's|[0-9.]* [KMG]*i*B/s|N B/s|' | sort -u
terminal bobbin compress a.bin --type u8
slow | bobbin compress --type u8 -o quiet.bob
