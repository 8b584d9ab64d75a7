# SPDX-License-Identifier: Apache-2.0
bobbin bench --sample --rows 5000 --runs 1 --cache warm --backend cpu --json | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(sorted(report), sorted(report["machine"]))
for row in report["rows"]:
    if row["method"] in ("bitpack", "ffor"):
        print(row["data"], row["type"], row["method"], row["raw_bytes"], row["bytes"], row["checked"],
              row["decode_gb_s"] > 0)'
