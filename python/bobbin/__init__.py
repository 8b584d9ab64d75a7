# SPDX-License-Identifier: Apache-2.0
"""Bobbin: compressed columnar tables, read, filtered and aggregated in encoded form.

    import bobbin as bb
    bb.write(table, "t.bob")
    bb.open("t.bob").scan(["a", "b"], bb.col("a") < 10).to_arrow()
"""
import typing as _typing

from ._version import __version__
from .arrays import EncodedArray, codecs, devices, encode
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
from .expressions import Aggregate, Col, Expr, Formula, avg, col, count, count_distinct, max, min, sum
from .file import Field, File, Scan, Stats, inspect, open, verify
from .partials import Partial, merge
from .writer import Writer, write

if _typing.TYPE_CHECKING:
    from . import dask as dask
    from . import ray as ray
    from ._convert import convert
    from ._device import DeviceArray
    from .batches import EncodedBatch, decode_batch, encode_batch
    from .datasets import Dataset, DatasetScan, DatasetStats, dataset
    from .lazy import scan
    from .reports import report

# Imported when they are first used, so that importing the package stays quick.
_LATER = {
    "Dataset": "datasets", "DatasetScan": "datasets", "DatasetStats": "datasets", "DeviceArray": "_device",
    "EncodedBatch": "batches", "convert": "_convert", "dataset": "datasets", "decode_batch": "batches",
    "encode_batch": "batches", "report": "reports", "scan": "lazy",
}


if not _typing.TYPE_CHECKING:  # a checker would take any name for one that exists

    def __getattr__(name: str) -> _typing.Any:
        """What is imported later; bb.dask and bb.ray also import those packages."""
        from importlib import import_module

        if name in ("dask", "ray"):
            return import_module(f"{__name__}.{name}")
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "dask", "ray"])


__all__ = [
    "Aggregate", "BobbinError", "ChangedFileError", "Col", "CorruptError", "Dataset", "DatasetScan", "DatasetStats",
    "DeviceArray", "DeviceError", "EncodedArray", "EncodedBatch", "Expr", "Field", "File", "FileError", "Formula",
    "InvalidArgumentError", "OutOfMemoryError", "Partial", "Scan", "Stats", "UnavailableError", "UnsupportedError",
    "Writer", "__version__", "avg", "codecs", "col", "convert", "count", "count_distinct", "dataset", "decode_batch",
    "devices", "encode", "encode_batch", "inspect", "max", "merge", "min", "open", "report", "scan", "sum", "verify",
    "write",
]
