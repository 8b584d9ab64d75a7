# SPDX-License-Identifier: Apache-2.0
# No values at all.
: > a.bin
bobbin compress a.bin --type u64 -q
bobbin inspect a.bin.bob
bobbin verify a.bin.bob
bobbin decompress a.bin.bob -o b.bin
cmp a.bin b.bin && echo the same
