# SPDX-License-Identifier: Apache-2.0
# A reader that goes away is an error like any other.
make u32 1000000 i > a.bin
bobbin compress a.bin --type u32 -q
{ bobbin decompress a.bin.bob -o -; echo "status $?" >&2; } | head -c 4 | show u32
