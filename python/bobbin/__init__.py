# SPDX-License-Identifier: Apache-2.0
"""Bobbin: compressed columnar tables, read, filtered and aggregated in encoded form.

    import bobbin as bb
    bb.write(table, "t.bob")
    bb.open("t.bob").scan(["a", "b"], bb.col("a") < 10).to_arrow()
"""
from typing import Any as _Any

from ._version import __version__
from .arrays import EncodedArray, codecs, devices, encode
from .batches import EncodedBatch, decode_batch, encode_batch
from .convert import convert
from .datasets import Dataset, DatasetScan, DatasetStats, dataset
from ._device import DeviceArray
from .errors import (
    BobbinError,
    ChangedFileError,
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
from .partials import Partial, merge
from .reports import report
from .writer import Writer, write



def __getattr__(name: str) -> _Any:
    """bb.dask and bb.ray, which import those packages, when they are first used."""
    if name in ("dask", "ray"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Aggregate", "BobbinError", "ChangedFileError", "Col", "CorruptError", "Dataset", "DatasetScan", "DatasetStats",
    "DeviceArray", "DeviceError", "EncodedArray", "EncodedBatch", "Expr", "Field", "File", "FileError", "InvalidArgumentError", "OutOfMemoryError",
    "Partial", "Scan", "Stats", "UnavailableError", "UnsupportedError", "Writer", "__version__", "avg", "codecs", "col",
    "convert", "count", "count_distinct", "dataset", "decode_batch", "devices", "encode", "encode_batch", "inspect", "max", "merge", "min", "open",
    "report", "scan", "sum", "verify", "write",
]
