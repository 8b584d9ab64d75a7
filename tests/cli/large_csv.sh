# SPDX-License-Identifier: Apache-2.0
# A table of more than a megabyte: types are inferred from its beginning, and the text comes back.
python3 - <<'END'
import random
draw = random.Random(5)
names = ["north", "south", "O'Neal"]
with open("t.csv", "w") as out:
    out.write("id,name,rate,share\n")
    for i in range(40000):
        out.write(f"{i},{draw.choice(names)},{0.1 + draw.random()!r},{draw.random():.9f}\n")
END
bobbin compress t.csv -q
bobbin decompress t.csv.bob -q -o back.csv
cmp t.csv back.csv && echo same
