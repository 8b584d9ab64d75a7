# SPDX-License-Identifier: Apache-2.0
"""Parquet files by pyarrow, in memory: how sizes.py and parquet_tables.py make them and time reading them."""
import time

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

RUNS = 5


def read_csv(path):
    """The types are those that pyarrow infers. Tables with bars between fields have no header row."""
    with open(path, encoding="utf-8", errors="replace") as file:
        first = file.readline()
    bars = first.count("|") > first.count(",")
    return csv.read_csv(path, read_options=csv.ReadOptions(autogenerate_column_names=bars),
                        parse_options=csv.ParseOptions(delimiter="|" if bars else ",", newlines_in_values=True),
                        convert_options=csv.ConvertOptions(null_values=["", "null"], strings_can_be_null=True) if bars else None)


def encode(table, codec):
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression=codec)
    return sink.getvalue()


def decode_seconds(buffer):
    """The median time to read all columns on one thread."""
    seconds = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        parquet.read_table(pa.BufferReader(buffer), use_threads=False)
        seconds.append(time.perf_counter() - begin)
    return sorted(seconds)[RUNS // 2]
