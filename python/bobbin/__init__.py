# SPDX-License-Identifier: Apache-2.0
"""Bobbin: compressed columnar tables, read, filtered and aggregated in encoded form.

    import bobbin as bb
    bb.write(table, "t.bob")
    bb.open("t.bob").scan(["a", "b"], bb.col("a") < 10).to_arrow()
"""
from ._version import __version__
from .arrays import EncodedArray, codecs, devices, encode
from .convert import convert
from .errors import (
    BobbinError,
    CorruptError,
    DeviceError,
    FileError,
    InvalidArgumentError,
    OutOfMemoryError,
    UnavailableError,
    UnsupportedError,
)
from .expressions import Aggregate, Col, Expr, avg, col, count, count_distinct, max, min, sum
from .file import Field, File, Scan, Stats, inspect, open, verify
from .lazy import scan
from .writer import Writer, write

__all__ = [
    "Aggregate", "BobbinError", "Col", "CorruptError", "DeviceError", "EncodedArray", "Expr", "Field", "File",
    "FileError", "InvalidArgumentError", "OutOfMemoryError", "Scan", "Stats", "UnavailableError", "UnsupportedError",
    "Writer", "__version__", "avg", "codecs", "col", "convert", "count", "count_distinct", "devices", "encode",
    "inspect", "max", "min", "open", "scan", "sum", "verify", "write",
]
