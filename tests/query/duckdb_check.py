#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the same random queries on the same random tables with `bobbin query` and DuckDB, and compares the answers.

Skipped, with status 0, if the Python package duckdb is not installed.

usage: duckdb_check.py --bobbin PROGRAM [--questions N] [--tables N] [--seed N]
"""
import argparse
import datetime
import decimal
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import duckdb
except ImportError:
    duckdb = None

# Name, our type, DuckDB's type.
COLUMNS = [("i", "i64", "BIGINT"), ("j", "i32", "INTEGER"), ("u", "u64", "UBIGINT"), ("d", "decimal(2)", "DECIMAL(18,2)"),
           ("e", "decimal(4)", "DECIMAL(18,4)"), ("x", "f64", "DOUBLE"), ("y", "f64", "DOUBLE"), ("s", "utf8", "VARCHAR"),
           ("t", "utf8", "VARCHAR"), ("day", "date", "DATE"), ("ts", "timestamp[ms]", "TIMESTAMP_MS"), ("b", "bool", "BOOLEAN")]
NUMBERS = "ijudexy"
OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "<>"]
LETTERS = ["a", "b", "A", "B", "é", "É", "%", "_", "'", '"', ",", "ж", " ", "1"]


class Table:
    """Random rows: few distinct values in some columns, ends of the types' ranges in others."""

    def __init__(self, draw, rows):
        self.draw = draw
        self.rows = [[self.cell(name) for name, _, _ in COLUMNS] for _ in range(rows)]

    def cell(self, name):
        draw = self.draw
        if draw.random() < 0.1:
            return None
        if name == "i":
            return draw.choice([2**53, -2**53, 2**62, 0]) + draw.randint(-3, 3)
        if name == "j":
            return draw.randint(-20, 20)
        if name == "u":
            return draw.choice([2**63, 2**53, 5]) + draw.randint(-3, 3)
        if name == "d":
            return decimal.Decimal(draw.randint(-2000, 2000)).scaleb(-2)
        if name == "e":
            return decimal.Decimal(draw.randint(-20000, 20000) * 5).scaleb(-4)
        if name in "xy":
            return draw.randint(-80, 80) / 4
        if name in "st":
            return "".join(draw.choice(LETTERS) for _ in range(draw.randint(0, 3)))
        if name == "day":
            return datetime.date(2014, 8, 1) + datetime.timedelta(days=draw.randint(-20, 20))
        if name == "ts":
            return datetime.datetime(2014, 8, 1) + datetime.timedelta(milliseconds=draw.randint(-5, 5) * 43_200_000 + draw.randint(0, 2))
        return draw.random() < 0.5

    def write(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(",".join(name for name, _, _ in COLUMNS) + "\n")
            for row in self.rows:
                file.write(",".join(field(cell) for cell in row) + "\n")

    def constant(self, name):
        """A constant near a value of the column, in the syntax of both."""
        draw = self.draw
        value = self.rows[draw.randrange(len(self.rows))][[c[0] for c in COLUMNS].index(name)]
        if value is None:
            value = 3 if name in NUMBERS else "a" if name in "st" else None
        if name in "iju":
            value += draw.randint(-1, 1)
            return draw.choice([str(value), f"{value}.0", f"{value}.5", f"{value}.25"])
        if name in "de":
            return str(decimal.Decimal(value) + decimal.Decimal(draw.choice(["0", "0.005", "-0.01", "1"])))
        if name in "xy":
            return str(value + draw.choice([0, 0.25, -0.125]))
        if name in "st":
            return text(value)
        if name == "day":
            return text(str(value or "2014-08-01"))
        if name == "ts":
            return text(str(value or "2014-08-01 00:00:00"))
        return draw.choice(["true", "false"])


def field(cell):
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        return '"' + cell.replace('"', '""') + '"'
    return str(cell_text(cell))


def text(value):
    return "'" + value.replace("'", "''") + "'"


def expression(draw, names, depth):
    """Draws an expression of columns whose products DuckDB holds exactly too."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(names) if draw.random() < 0.75 else draw.choice(["2", "1.25", "0.5", "(-3)", "10"])
    if draw.random() < 0.1:
        return f"-({expression(draw, names, depth - 1)})"
    return f"({expression(draw, names, depth - 1)} {draw.choice('+-*')} {expression(draw, names, depth - 1)})"


def computed(draw):
    # DuckDB computes products of decimals in 38 digits, and those of j in 32 bits.
    names = draw.choice(["j", "jd", "de", "xy", "xyj"])
    return f"{draw.choice(names)} {draw.choice('+-*')} {expression(draw, names, 1)}"


def test(draw, table):
    name = draw.choice(COLUMNS)[0]
    kind = draw.randrange(12)
    negation = draw.choice(["", "", "not "])
    if kind > 9:
        return f"{computed(draw)} {draw.choice(OPERATORS)} {draw.choice(['j', 'd', '3', '0.5', computed(draw)])}"
    if kind == 0:
        return f"{name} is {negation}null"
    if kind == 1:
        constants = ", ".join(table.constant(name) for _ in range(draw.randint(1, 20)))
        return f"{name} {negation}in ({constants})"
    if kind == 2 and name != "b":
        return f"{name} {negation}between {table.constant(name)} and {table.constant(name)}"
    if kind == 3:
        # i and u are too different in their types for DuckDB to compare with floats and decimals exactly.
        others = {"s": "t", "t": "s", "day": "ts", "ts": "day", "b": "b", "i": "j", "j": "dexyi", "u": "u", "d": "je", "e": "jd",
                  "x": "yj", "y": "xj"}[name]
        other = others if others in ("day", "ts") else draw.choice(others)
        return f"{name} {draw.choice(OPERATORS[:2] if name == 'b' else OPERATORS)} {other}"
    if name in "st" and kind > 5:
        pattern = "".join(draw.choice(LETTERS + ["%", "_"]) for _ in range(draw.randint(0, 4)))
        return f"{name} {negation}{draw.choice(['like', 'ilike'])} {text(pattern)}"
    if kind == 4:
        return f"{table.constant(name)} {draw.choice(OPERATORS[:2] if name == 'b' else OPERATORS)} {name}"
    return f"{name} {draw.choice(OPERATORS[:2] if name == 'b' else OPERATORS)} {table.constant(name)}"


def predicate(draw, table, depth):
    if depth == 0 or draw.random() < 0.3:
        return test(draw, table)
    parts = [f"({predicate(draw, table, depth - 1)})" for _ in range(draw.randint(1, 3))]
    joined = draw.choice([" and ", " or "]).join(parts)
    return f"not ({joined})" if draw.random() < 0.25 else joined


def aggregate(draw):
    kind = draw.choice(["count()", "count", "count(distinct", "sum", "avg", "min", "max"])
    if kind == "count()":
        return kind
    if not kind.startswith("count(d") and draw.random() < 0.3:
        return f"{kind}({computed(draw)})"
    name = draw.choice(NUMBERS) if kind in ("sum", "avg") else draw.choice([c[0] for c in COLUMNS if c[0] != "b"])
    return f"{kind} {name})" if kind.startswith("count(d") else f"{kind}({name})"


def order_term(draw, by):
    """The term in our syntax, and in DuckDB's, where nulls are last by default."""
    descending = draw.random() < 0.5
    nulls = draw.choice(["", "", "first", "last"])
    ours = by + (" desc" if descending else draw.choice(["", " asc"])) + (f" nulls {nulls}" if nulls else "")
    theirs = f"{by} {'desc' if descending else 'asc'} nulls {nulls or ('last' if descending else 'first')}"
    return ours, theirs


class Question:
    def __init__(self, draw, table):
        self.where = predicate(draw, table, draw.randint(0, 3)) if draw.random() < 0.8 else ""
        self.limit = draw.choice([None, None, 0, 1, 7, 1000])
        names = [c[0] for c in COLUMNS]
        kind = draw.randrange(3)
        ours, theirs = [], []
        self.arguments = []
        if kind == 2:
            columns = draw.sample(names, draw.randint(1, 4))
            terms = [order_term(draw, name) for name in draw.sample(names, draw.randint(0, 2))]
            head = ", ".join(columns)
            tail = ""
            self.arguments += ["--select", ",".join(columns)]
            last = ["rowid"]
        else:
            keys = draw.sample(names, draw.randint(1, 3)) if kind == 1 else []
            aggregates = [aggregate(draw) for _ in range(draw.randint(1, 4))]
            # DuckDB rounds averages of integers beyond 2^53, so their order may differ.
            by = keys + [term for term in [aggregate(draw)] if term not in ("avg(i)", "avg(u)")]
            terms = [order_term(draw, draw.choice(by)) for _ in range(draw.randint(0, 2))] if keys else []
            head = ", ".join(keys + aggregates)
            tail = " group by " + ", ".join(keys) if keys else ""
            self.arguments += ["--agg", ",".join(aggregates)] + (["--group", ",".join(keys)] if keys else [])
            last = [f"{key} asc nulls first" for key in keys]
        ours = [term[0] for term in terms]
        theirs = [term[1] for term in terms] + last
        if self.where:
            self.arguments += ["--where", self.where]
        if ours:
            self.arguments += ["--order", ", ".join(ours)]
        if self.limit is not None:
            self.arguments += ["--limit", str(self.limit)]
        self.sql = (f"select {head} from t" + (f" where {self.where}" if self.where else "") + tail +
                    (" order by " + ", ".join(theirs) if theirs else "") +
                    (f" limit {self.limit}" if self.limit is not None else ""))


def cell_text(value):
    """A common form for values of both."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.") + f"{value.microsecond // 1000:03}"
    return value if value is None or isinstance(value, (int, float)) else str(value)


def same(ours, theirs):
    if isinstance(theirs, decimal.Decimal) and isinstance(ours, (int, decimal.Decimal)):
        return ours == theirs
    if isinstance(ours, decimal.Decimal):
        ours = float(ours)
    ours, theirs = cell_text(ours), cell_text(theirs)
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-14)
    return str(ours) == str(theirs) and (ours is None) == (theirs is None)


def ask(program, path, question):
    """Rows of values, or the error."""
    done = subprocess.run([program, "query", path, *question.arguments, "--json", "--backend", "cpu"], capture_output=True,
                          text=True, timeout=60, check=False)
    if done.returncode != 0:
        return done.stderr.strip()
    return [list(row.values()) for row in json.loads(done.stdout, parse_float=decimal.Decimal)["rows"]]


def differ(ours, theirs):
    if isinstance(ours, str):
        return ours
    if len(ours) != len(theirs):
        return f"{len(ours)} rows instead of {len(theirs)}"
    for number, (mine, yours) in enumerate(zip(ours, theirs)):
        if len(mine) != len(yours) or not all(map(same, mine, yours)):
            return f"row {number}: {mine} instead of {list(yours)}"
    return ""


def check_table(program, folder, draw, questions, counts):
    table = Table(draw, draw.choice([1, 50, 700, 3000]))
    path = str(folder / "t.csv")
    table.write(path)
    schema = ",".join(f"{name}:{ours}" for name, ours, _ in COLUMNS)
    subprocess.run([program, "compress", path, "-o", str(folder / "t.bob"), "-f", "-q", "--schema", schema, "--rows-per-group",
                    "1024", "--backend", "cpu"], check=True)
    database = duckdb.connect()
    types = ", ".join(f"'{name}': '{theirs}'" for name, _, theirs in COLUMNS)
    database.execute(f"create table t as select * from read_csv('{path}', header = true, quote = '\"', escape = '\"', nullstr = '', "
                     f"allow_quoted_nulls = false, columns = {{{types}}})")
    for _ in range(questions):
        question = Question(draw, table)
        try:
            theirs = database.execute(question.sql).fetchall()
        except duckdb.Error as error:
            counts["refused by DuckDB"] += 1
            if counts["refused by DuckDB"] <= 3:
                print(f"DuckDB refuses {question.sql}: {error}", file=sys.stderr)
            continue
        problem = differ(ask(program, str(folder / "t.bob"), question), theirs)
        counts["asked"] += 1
        if problem:
            counts["different"] += 1
            print(f"{question.arguments}\n  {question.sql}\n  {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bobbin", required=True)
    parser.add_argument("--questions", type=int, default=200, help="number per table")
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if duckdb is None:
        print("duckdb is not installed: skipped")
        return 0
    counts = {"asked": 0, "different": 0, "refused by DuckDB": 0}
    draw = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.tables):
            check_table(args.bobbin, pathlib.Path(folder), draw, args.questions, counts)
    print(", ".join(f"{what}: {count}" for what, count in counts.items()))
    return 1 if counts["different"] or not counts["asked"] else 0


if __name__ == "__main__":
    sys.exit(main())
