# SPDX-License-Identifier: Apache-2.0
# CSV files of about 4 KB with 10 rows or more do not grow, except those of many columns that are mostly null; the text
# comes back.
cat > small.py <<'END'
import filecmp, os, random, subprocess
draw = random.Random(17)
word = lambda: "".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.randrange(3, 10)))
kinds = {
    "digits": lambda: str(draw.randrange(10)),
    "integers": lambda: str(draw.randrange(10 ** draw.randrange(1, 9))),
    "decimals": lambda: f"{draw.random() * 100:.3f}",
    "words": word,
    "dates": lambda: f"20{draw.randrange(10, 30)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 28):02}",
    "ids": lambda: f"{draw.getrandbits(64):016x}",
    "nulls": lambda: word() if draw.randrange(3) == 0 else "",
}
def table(kind, rows):
    columns = []
    while sum(len(field) + 1 for column in columns for field in column) < 4096:
        columns.append([f"{word()}_{len(columns)}"] + [kinds[kind]() for _ in range(rows)])
    return "".join(",".join(fields) + "\n" for fields in zip(*columns))
for kind in kinds:
    for rows in (100, 300) if kind == "nulls" else (10, 30, 100, 300):
        with open("t.csv", "w") as out:
            out.write(table(kind, rows))
        subprocess.check_call(["bobbin", "compress", "t.csv", "-f", "-q", "--header"])
        subprocess.check_call(["bobbin", "decompress", "t.csv.bob", "-f", "-q", "-o", "back.csv"])
        if os.path.getsize("t.csv.bob") > os.path.getsize("t.csv"):
            print(kind, rows, "grows to", os.path.getsize("t.csv.bob"))
        if not filecmp.cmp("t.csv", "back.csv", shallow=False):
            print(kind, rows, "does not come back")
# A few hundred bytes of prose: too few to learn symbols from, and compressed with the rest of the footer.
prose = ["regular accounts are final requests. regular requests are final accounts. regular packages are final requests",
         "final requests", "regular beans", "final courts. final accounts. final excuse",
         "regular accounts. final accounts. final requests. regular requests. regular accounts. final requests"]
with open("t.csv", "w") as out:
    out.write("key,comment\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(prose)))
subprocess.check_call(["bobbin", "compress", "t.csv", "-f", "-q", "--header"])
if os.path.getsize("t.csv.bob") > os.path.getsize("t.csv"):
    print("prose grows from", os.path.getsize("t.csv"), "to", os.path.getsize("t.csv.bob"))
print("done")
END
python3 small.py
