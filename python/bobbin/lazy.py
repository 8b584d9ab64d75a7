# SPDX-License-Identifier: Apache-2.0
"""Polars: a file or a dataset as a LazyFrame that pushes columns, filters and limits down."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator

from ._need import need
from ._translate import Filter, from_polars, to_filter
from .datasets import Dataset
from .expressions import Expr
from .file import File

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
    pl = need("polars")
    register_io_source = need("polars.io.plugins").register_io_source
    formats = table._all()._formats()
    types = {field.name: formats[field.name] if formats[field.name].startswith("tD") else field.type
             for field in table.schema}

    def read(with_columns: list[str] | None, predicate: polars.Expr | None, n_rows: int | None,
             batch_size: int | None) -> Iterator[polars.DataFrame]:
        understood = Filter(None, True)
        if predicate is not None:
            understood = to_filter(from_polars(predicate), types, nan_is_greatest=True)
        where = None if understood.node is None else Expr(understood.node)
        # A limit counts rows that pass all of the predicate.
        limit = n_rows if understood.is_exact else None
        left = n_rows
        for array in table.scan(with_columns, where, limit=limit, batch_rows=batch_size)._arrays():
            found = pl.DataFrame(array)
            found = found if understood.is_exact else found.filter(predicate)
            found = found if left is None else found.head(left)
            yield found
            left = None if left is None else left - found.height
            if left == 0:
                return

    return register_io_source(read, schema=table._all()._empty_polars().schema, is_pure=True)
