# SPDX-License-Identifier: Apache-2.0
# A file that fails does not keep the others from being checked.
bobbin-test-table t.bob
make u8 10 i > a.bin
bobbin compress a.bin --type u8 -q
cp a.bin.bob bad.bob
flip bad.bob 30
status bobbin verify t.bob a.bin.bob
status bobbin verify t.bob bad.bob missing.bob a.bin a.bin.bob
status bobbin verify -q a.bin.bob
