# SPDX-License-Identifier: Apache-2.0
# If a file fails, the others are still checked.
bobbin-test-table t.bob
make u8 10 i > a.bin
bobbin compress a.bin --type u8 -q
cp a.bin.bob bad.bob
flip bad.bob 30
status bobbin verify t.bob a.bin.bob
status bobbin verify t.bob bad.bob missing.bob a.bin a.bin.bob
status bobbin verify -q a.bin.bob
