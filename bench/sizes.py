#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of CSV tables as .bob files and as Parquet with zstd by pyarrow: one line per table, the geometric mean, the worst.

usage: sizes.py BOBBIN OUT.json FILE.csv ...      (needs pyarrow; tables that either side cannot read are skipped)
"""
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet


def parquet_bytes(path):
    table = csv.read_csv(path, parse_options=csv.ParseOptions(newlines_in_values=True))
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue().size


def bob_bytes(bobbin, path, folder):
    out = pathlib.Path(folder) / "table.bob"
    result = subprocess.run([bobbin, "compress", "-f", str(path), "-o", str(out)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ValueError(result.stderr.strip())
    return out.stat().st_size


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def measure(bobbin, paths):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(map(pathlib.Path, paths), key=lambda p: p.stat().st_size):
            try:
                rows.append({"table": path.name, "csv_bytes": path.stat().st_size, "bob_bytes": bob_bytes(bobbin, path, folder),
                             "parquet_zstd_bytes": parquet_bytes(path)})
            except (ValueError, pa.ArrowInvalid) as error:
                print(f"left out: {path.name}: {str(error).splitlines()[0]}", file=sys.stderr)
    for row in rows:
        row["ratio"] = round(row["bob_bytes"] / row["parquet_zstd_bytes"], 3)
    return rows


def git(*words):
    result = subprocess.run(["git", *words], capture_output=True, text=True, check=False, cwd=pathlib.Path(__file__).parent)
    return result.stdout.strip()


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    rows = measure(sys.argv[1], sys.argv[3:])
    small = [row for row in rows if row["csv_bytes"] <= 4096]
    summary = {"tables": len(rows),
               "geometric_mean": round(geometric_mean([row["ratio"] for row in rows]), 4),
               "worst": max(row["ratio"] for row in rows),
               "tables_above_1.5": sum(row["ratio"] > 1.5 for row in rows),
               "small_tables": len(small),
               "small_tables_that_grow": sum(row["bob_bytes"] > row["csv_bytes"] for row in small)}
    for row in sorted(rows, key=lambda row: row["ratio"]):
        print(f"{row['ratio']:7.3f} {row['csv_bytes']:>10} {row['bob_bytes']:>9} {row['parquet_zstd_bytes']:>9}  {row['table']}")
    print(json.dumps(summary, indent=1))
    report = {"machine": {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()}, "commit": git("rev-parse", "--short", "HEAD"),
              "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "pyarrow": pa.__version__, **summary, "rows": rows}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
