#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of CSV tables as .bob files and as Parquet with zstd by pyarrow: one line per table, the geometric mean, the worst.

usage: sizes.py [--goal GOAL] [--decode] BOBBIN OUT.json FILE.csv ...

Needs pyarrow; tables that either side cannot read are skipped. --decode also measures reading all columns on one core, with
files in memory or in the page cache: `bobbin bench` and pyarrow's read_table() without threads.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import parquet_files
import pyarrow as pa


def run(*words):
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ValueError(result.stderr.strip())
    return result.stdout


def bob_file(bobbin, goal, path, folder):
    out = pathlib.Path(folder) / "table.bob"
    begin = time.perf_counter()
    run(bobbin, "compress", "-f", "--threads", 1, "--goal", goal, path, "-o", out)
    return out, time.perf_counter() - begin


def bob_decode_seconds(bobbin, path):
    report = json.loads(run(bobbin, "bench", "--json", "--cache", "warm", "--backend", "cpu", path))
    return sum(row["decode"]["median_s"] for row in report["rows"] if row["method"] == "bobbin")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def measure_table(args, path, folder):
    bob, seconds = bob_file(args.bobbin, args.goal, path, folder)
    peer = parquet_files.encode(parquet_files.read_csv(path), "zstd")
    row = {"table": path.name, "csv_bytes": path.stat().st_size, "bob_bytes": bob.stat().st_size, "parquet_zstd_bytes": peer.size,
           "compress_seconds": round(seconds, 3)}
    if args.decode:
        row["decode_seconds"] = bob_decode_seconds(args.bobbin, bob)
        row["parquet_decode_seconds"] = parquet_files.decode_seconds(peer)
    return row


def measure(args):
    rows = []
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(map(pathlib.Path, args.tables), key=lambda p: p.stat().st_size):
            try:
                rows.append(measure_table(args, path, folder))
            except (ValueError, pa.ArrowInvalid) as error:
                print(f"left out: {path.name}: {str(error).splitlines()[0]}", file=sys.stderr)
    for row in rows:
        row["ratio"] = round(row["bob_bytes"] / row["parquet_zstd_bytes"], 3)
    return rows


def cpu_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def git(*words):
    result = subprocess.run(["git", *words], capture_output=True, text=True, check=False, cwd=pathlib.Path(__file__).parent)
    return result.stdout.strip()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--goal", default="smallest", help="what bobbin compress optimises for")
    parser.add_argument("--decode", action="store_true", help="also measure reading all columns")
    parser.add_argument("bobbin")
    parser.add_argument("out")
    parser.add_argument("tables", nargs="+")
    return parser.parse_args()


def main():
    args = parse_arguments()
    rows = measure(args)
    small = [row for row in rows if row["csv_bytes"] <= 4096]
    summary = {"goal": args.goal,
               "tables": len(rows),
               "geometric_mean": round(geometric_mean([row["ratio"] for row in rows]), 4),
               "worst": max(row["ratio"] for row in rows),
               "tables_above_1": sum(row["ratio"] > 1 for row in rows),
               "tables_above_1.5": sum(row["ratio"] > 1.5 for row in rows),
               "small_tables": len(small),
               "small_tables_that_grow": sum(row["bob_bytes"] > row["csv_bytes"] for row in small)}
    if args.decode:
        speedups = [row["parquet_decode_seconds"] / max(row["decode_seconds"], 1e-9) for row in rows]
        summary |= {"decode_speed_of_parquet_geometric_mean": round(geometric_mean(speedups), 2),
                    "decode_speed_of_parquet_worst": round(min(speedups), 2),
                    "tables_slower_than_parquet": sum(speedup < 1 for speedup in speedups)}
    for row in sorted(rows, key=lambda row: row["ratio"]):
        print(f"{row['ratio']:7.3f} {row['csv_bytes']:>10} {row['bob_bytes']:>9} {row['parquet_zstd_bytes']:>9}  {row['table']}")
    print(json.dumps(summary, indent=1))
    report = {"machine": {"cpu": cpu_name(), "cores": os.cpu_count()}, "commit": git("rev-parse", "--short", "HEAD"),
              "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "pyarrow": pa.__version__, **summary, "rows": rows}
    pathlib.Path(args.out).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
