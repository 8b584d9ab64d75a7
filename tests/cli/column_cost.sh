# SPDX-License-Identifier: Apache-2.0
# What one more column costs in a small file: docs/format.md, section 5.10, states these bounds.
cat > cost.py <<'END'
import os, subprocess
words = "amber basil cedar dahlia elder fennel ginger hazel iris juniper".split()
columns = {"i64 constant": [str(10**12)] * 10, "all null": [""] * 10, "constant string": ["unchanged"] * 10,
           "10 strings": words}
def size(values):
    with open("c.csv", "w") as out:
        out.write("id" + (",extra" if values else "") + "\n")
        for i in range(10):
            out.write(str(i * i) + ("," + values[i] if values else "") + "\n")
    subprocess.check_call(["bobbin", "compress", "c.csv", "-f", "-q"])
    return os.path.getsize("c.csv.bob")
for name, values in columns.items():
    bound = {"i64 constant": 40, "all null": 50, "constant string": 100, "10 strings": 130}[name]
    cost = size(values) - size(None)
    print(name, "below", bound, cost < bound)
END
python3 cost.py
