#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet files of the tables in a folder: sizes with snappy and zstd, and the speed of decoding zstd on one core.

usage: parquet_tables.py FOLDER BYTES OUT.json      (needs pyarrow)

Sizes are those of the original tables; the speed is for the table repeated until its text would have BYTES.
"""
import json
import pathlib
import sys
import time

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

RUNS = 5


def read(path):
    """The types are those that pyarrow infers."""
    return csv.read_csv(path, read_options=csv.ReadOptions(autogenerate_column_names=True),
                        parse_options=csv.ParseOptions(delimiter="|", newlines_in_values=True),
                        convert_options=csv.ConvertOptions(null_values=["", "null"], strings_can_be_null=True))


def encode(table, codec):
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression=codec)
    return sink.getvalue()


def decode_seconds(buffer):
    seconds = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        parquet.read_table(pa.BufferReader(buffer), use_threads=False)
        seconds.append(time.perf_counter() - begin)
    return sorted(seconds)[RUNS // 2]


def main():
    folder, size, out = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    pa.set_cpu_count(1)
    figures = {}
    for path in sorted(folder.iterdir()):
        table = read(path)
        repeated = pa.concat_tables([table] * -(-size // path.stat().st_size)).combine_chunks()
        seconds = decode_seconds(encode(repeated, "zstd"))
        figures[path.name] = {"pyarrow": pa.__version__,
                              "snappy_bytes": encode(table, "snappy").size,
                              "zstd_bytes": encode(table, "zstd").size,
                              "raw_bytes": repeated.nbytes,
                              "zstd_decode_seconds": seconds,
                              "zstd_decode_bytes_per_second": repeated.nbytes / seconds}
    pathlib.Path(out).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
