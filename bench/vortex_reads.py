#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small reads of a table with Vortex on one thread: the same measurements as cpu_reads_bench.cpp, with the same names.

usage: vortex_reads.py TABLE.csv COLUMN EQUALS OUT.json      (needs pyarrow and vortex-data)

The table has a header. The .vortex file is written next to OUT.json.
"""
import json
import pathlib
import statistics
import sys
import time

import pyarrow.csv as csv
import vortex
import vortex.expr as expr

BEGIN, ROWS, FIRST_ROWS = 200_000, 100, 10


def measure(work, runs):
    """The first run is not measured."""
    rows = work().num_rows
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return {"rows": rows, "seconds": statistics.median(seconds), "least_seconds": min(seconds), "runs": runs}


def table_of(batches):
    return batches.read_all().to_arrow_table()


def main():
    source, column, equals, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4])
    vortex.set_worker_threads(1)
    path = str(out.with_suffix(".vortex"))
    vortex.io.write(csv.read_csv(source).combine_chunks(), path)
    opened = vortex.open(path)
    scan = opened.to_repeated_scan()
    passes = expr.column(column) == equals

    def fetch_range(repeated):
        return table_of(repeated.execute(row_range=(BEGIN, BEGIN + ROWS)))

    works = {
        "range": (lambda: fetch_range(scan), 201),
        "open, range": (lambda: fetch_range(vortex.open(path).to_repeated_scan()), 201),
        "open, first rows": (lambda: table_of(vortex.open(path).scan(limit=FIRST_ROWS)), 201),
        "passing": (lambda: table_of(opened.scan(expr=passes)), 101),
        "open, passing": (lambda: table_of(vortex.open(path).scan(expr=passes)), 101),
        "open, all": (lambda: table_of(vortex.open(path).scan()), 7),
    }
    figures = {name: measure(work, runs) for name, (work, runs) in works.items()}
    figures["file"] = {"vortex": vortex.__version__, "bytes": pathlib.Path(path).stat().st_size}
    out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
