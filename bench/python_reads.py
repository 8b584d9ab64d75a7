#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package beside what people use instead: pyarrow and DuckDB on Parquet with zstd, and vortex-data.

usage: python_reads.py OUT.json [ROWS]      (needs the package bobbin, pyarrow and duckdb; vortex-data if there)

A drawn table of orders, shuffled, so that zone maps rule nothing out but the clustered column `id`. Every figure is the
median of interleaved runs with a warm page cache; each library uses as many threads as it likes. The CPU time of all its threads is
given too: on a busy machine the least of it is the figure to compare.
"""
import json
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time

import duckdb
import numpy
import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

import bobbin as bb

RUNS = 15


def draw(rows):
    random = numpy.random.default_rng(1)
    cities = numpy.array([f"city {i}" for i in range(500)])
    return pyarrow.table({
        "id": numpy.arange(rows),
        "day": random.integers(0, 1000, rows),
        "amount": numpy.round(random.gamma(2, 50, rows), 2),
        "quantity": random.integers(1, 100, rows).astype("i4"),
        "city": cities[random.integers(0, 500, rows)],
        "note": [f"order {a} of {b}" for a, b in random.integers(0, 10**6, (rows, 2))],
    })


def measure(works):
    """Interleaved, so that a change of the machine's load meets all alike; the first round is not counted."""
    seconds = {name: [] for name in works}
    cpu_seconds = {name: [] for name in works}
    rows = {}
    for turn in range(RUNS + 1):
        for name, work in works.items():
            begin, cpu_begin = time.perf_counter(), time.process_time()
            rows[name] = work()
            if turn:
                seconds[name].append(time.perf_counter() - begin)
                cpu_seconds[name].append(time.process_time() - cpu_begin)
    assert len(set(map(str, rows.values()))) == 1, rows
    return {name: {"median_s": statistics.median(all_), "min_s": min(all_), "runs": RUNS, "cpu_min_s": min(cpu_seconds[name]),
                   "cpu_median_s": statistics.median(cpu_seconds[name])} for name, all_ in seconds.items()}


def column_works(file, name, path=None):
    """One column as Arrow, and the same decoding in C++ without Arrow, into one array and by row groups; of a file that
    is opened for it if there is a path."""
    def source():
        return bb.open(path) if path else file

    def decode(one):
        return one._file.read(one._spec)[0]

    def decode_groups(one):
        # All are kept until the last is there, as those of a Table are.
        groups = [decode(one.scan(name, rows=part)) for part in one._file.row_group_ranges]
        return sum(group[1] for group in groups)

    return {"bobbin": lambda: source().scan(name).to_arrow().num_rows, "c++ read_columns": lambda: decode(source().scan(name))[1],
            "c++ read_columns by row groups": lambda: decode_groups(source())}


def filter_works(file, paths, opens_again):
    """With files that stay open, and with files that are opened for every scan, as those of pyarrow always are."""
    where = bb.col("day") < 10
    expression = compute.field("day") < 10
    works = {
        "bobbin": lambda: (bb.open(paths["bob"]) if opens_again else file).scan(where=where).to_arrow().num_rows,
        "pyarrow parquet zstd": lambda: parquet.read_table(paths["parquet"], filters=expression).num_rows,
    }
    try:
        import vortex
        import vortex.expr

        opened = vortex.open(paths["vortex"])
        passes = vortex.expr.column("day") < 10
        works["vortex"] = lambda: (vortex.open(paths["vortex"]) if opens_again else opened).scan(expr=passes).read_all().to_arrow_table().num_rows
    except ImportError:
        pass
    return works


def duckdb_works(file, paths, where):
    connection = duckdb.connect()
    connection.register("ours", file.dataset())
    query = f"select count(*), sum(quantity), max(city) from {{}} where {where}"
    theirs = f"read_parquet('{paths['parquet']}')"
    return {"bobbin dataset": lambda: connection.sql(query.format("ours")).fetchall(),
            "duckdb parquet zstd": lambda: connection.sql(query.format(theirs)).fetchall()}


def write_all(table, folder):
    paths = {kind: os.path.join(folder, f"t.{kind}") for kind in ("bob", "parquet", "vortex")}
    bb.write(table, paths["bob"])
    parquet.write_table(table, paths["parquet"], compression="zstd")
    try:
        import vortex

        vortex.io.write(table.combine_chunks(), paths["vortex"])
    except ImportError:
        pass
    return paths


def main():
    out, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 22
    with tempfile.TemporaryDirectory() as folder:
        paths = write_all(draw(rows), folder)
        file = bb.open(paths["bob"])
        works = {f"column {name}": column_works(file, name) for name in ("amount", "quantity", "city")}
        works["open and column amount"] = column_works(file, "amount", paths["bob"])
        works["scan, 1 % of rows"] = filter_works(file, paths, False)
        works["open and scan, 1 % of rows"] = filter_works(file, paths, True)
        works["DuckDB, 1 % of rows"] = duckdb_works(file, paths, "day < 10")
        works["DuckDB, 1 % of rows, clustered"] = duckdb_works(file, paths, f"id between {rows // 2} and {rows // 2 + rows // 100}")
        figures = {name: measure(each) for name, each in works.items()}
        sizes = {kind: os.path.getsize(path) for kind, path in paths.items() if os.path.exists(path)}
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    lines = [{"python_read": name, "library": who, "table_rows": rows, "seconds": seconds}
             for name, each in figures.items() for who, seconds in each.items()]
    result = {"machine": {"cpu": cpu, "cores": os.cpu_count(), "gpu": None, "load": os.getloadavg()[0]},
              "commit": os.environ.get("BOBBIN_COMMIT", "none"),
              "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "bytes": sizes, "rows": lines}
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, each in figures.items():
        first = next(iter(each.values()))["median_s"]
        least = next(iter(each.values()))["cpu_min_s"]
        print(name + ":", ", ".join(f"{who} {one['median_s'] * 1000:.1f} ms ({one['median_s'] / first:.2f}), CPU {one['cpu_min_s'] * 1000:.1f} ms "
                                    f"({one['cpu_min_s'] / least:.2f})" for who, one in each.items()))


if __name__ == "__main__":
    main()
