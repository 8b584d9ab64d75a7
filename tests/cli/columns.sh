# SPDX-License-Identifier: Apache-2.0
# A file of several columns: one must be chosen.
bobbin-test-table t.bob
status bobbin decompress t.bob -o x
status bobbin decompress t.bob --column price -o x
bobbin decompress t.bob --column temperature --rows 399:403 -o - | show i16
bobbin decompress t.bob --column id --rows 4998:5000 -o - | show u32
bobbin decompress t.bob --column constant
ls
