# SPDX-License-Identifier: Apache-2.0
# A size that is not a multiple of the type's: refused, and no output is written; for a pipe it is known only at the
# end.
head -c 13 /dev/zero > a.bin
status bobbin compress a.bin --type u32
cat a.bin | status bobbin compress --type u32 -o b.bob
cat a.bin | bobbin compress --type u32 | status bobbin verify -
status bobbin bench a.bin --type u16
ls -A
