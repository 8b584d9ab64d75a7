# SPDX-License-Identifier: Apache-2.0
# Numeric columns with nulls: printed, verified, and zero in a raw array.
bobbin-test-table t.bob nulls
bobbin inspect t.bob --row-groups
bobbin inspect t.bob --json | python3 -c 'import json, sys
file = json.load(sys.stdin)
print([(c["name"], c.get("nullable"), c["min"], c["max"], c.get("nulls")) for c in file["columns"]])
print([[(k["min"], k["max"], k.get("nulls")) for k in g["chunks"]] for g in file["row_groups"]])'
bobbin verify t.bob
bobbin decompress t.bob --column some --rows 10:15 -o - | show i32
bobbin decompress t.bob --column some --rows 2998:3000 -o - | show i32
bobbin decompress t.bob --column plain --rows 10:15 -o - | show i32
status bobbin compress t.bob --type u8 --codec masked -o x
