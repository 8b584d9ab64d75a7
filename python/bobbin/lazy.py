# SPDX-License-Identifier: Apache-2.0
"""Polars: a file or a dataset as a LazyFrame that pushes columns, filters and limits down."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator

from ._translate import from_polars, to_filter
from .datasets import Dataset, DatasetScan
from .expressions import Expr
from .file import File, Scan

if TYPE_CHECKING:
    import polars


def scan(source: Any) -> polars.LazyFrame:
    """A Polars LazyFrame of a .bob file, or of many as dataset() takes them:
    `bb.scan("t.bob").filter(pl.col("a") > 5).select("b").collect()`."""
    if isinstance(source, (File, Dataset)):
        return scan_table(source)
    is_many = isinstance(source, (list, tuple)) or (isinstance(source, (str, os.PathLike)) and not os.path.isfile(source))
    return scan_table(Dataset(source) if is_many else File(source))


def scan_table(table: File | Dataset) -> polars.LazyFrame:
    """As scan(), of what is open."""
    import polars
    from polars.io.plugins import register_io_source

    types = {field.name: field.type for field in table.schema}

    def read(with_columns: list[str] | None, predicate: polars.Expr | None, n_rows: int | None,
             batch_size: int | None) -> Iterator[polars.DataFrame]:
        node = None if predicate is None else to_filter(from_polars(predicate), types, nan_is_greatest=True)
        where = None if node is None else Expr(node)
        # A limit counts rows that pass all of the predicate.
        limit = n_rows if predicate is None else None
        stream = table.scan(with_columns, where, limit=limit, batch_rows=batch_size)
        left = n_rows
        for frame in _frames(stream, polars):
            found = frame if predicate is None else frame.filter(predicate)
            found = found if left is None else found.head(left)
            yield found
            left = None if left is None else left - found.height
            if left == 0:
                return

    return register_io_source(read, schema=table.scan(limit=0).to_polars().schema, is_pure=True)


def _frames(stream: Scan | DatasetScan, polars: Any) -> Iterator[polars.DataFrame]:
    """Frames of a scan, one per batch if there is a reader of streams, otherwise one per file."""
    try:
        import pyarrow
    except ImportError:
        for scan in (one for _, one in stream._scans()) if isinstance(stream, DatasetScan) else [stream]:
            yield polars.DataFrame(scan)
        return
    for batch in pyarrow.RecordBatchReader.from_stream(stream):
        yield polars.DataFrame(batch)
