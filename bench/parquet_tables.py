#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet files of the tables in a folder: sizes with snappy and zstd, and the speed of decoding zstd on one core.

usage: parquet_tables.py FOLDER BYTES OUT.json      (needs pyarrow)

Sizes are those of the original tables; the speed is for the table repeated until its text would have BYTES.
"""
import json
import pathlib
import sys

import parquet_files
import pyarrow as pa


def main():
    folder, size, out = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    pa.set_cpu_count(1)
    figures = {}
    for path in sorted(folder.iterdir()):
        table = parquet_files.read_csv(path)
        repeated = pa.concat_tables([table] * -(-size // path.stat().st_size)).combine_chunks()
        seconds = parquet_files.decode_seconds(parquet_files.encode(repeated, "zstd"))
        figures[path.name] = {"pyarrow": pa.__version__,
                              "snappy_bytes": parquet_files.encode(table, "snappy").size,
                              "zstd_bytes": parquet_files.encode(table, "zstd").size,
                              "raw_bytes": repeated.nbytes,
                              "zstd_decode_seconds": seconds,
                              "zstd_decode_bytes_per_second": repeated.nbytes / seconds}
    pathlib.Path(out).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
