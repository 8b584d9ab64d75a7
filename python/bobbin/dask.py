# SPDX-License-Identifier: Apache-2.0
"""Dask: datasets as Dask DataFrames, and answers that are computed on workers from encoded data, without frames."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from ._answers import count_title
from ._tasks import Plan, answer_piece, finish, pieces_of, read_piece
from .datasets import Piece, as_dataset
from .errors import UnavailableError
from .expressions import Aggregate, count

try:
    import dask
except ImportError:
    raise UnavailableError("bobbin.dask needs Dask: pip install 'dask[dataframe]'") from None

if TYPE_CHECKING:
    import dask.dataframe
    import pandas

    from .file import Where


def read(source: Any, *, columns: Sequence[str] | None = None, where: Where = None) -> dask.dataframe.DataFrame:
    """A Dask DataFrame of a file or of many, as dataset() takes them; a partition is about four million rows.

    Row groups that zone maps rule out for `where` get no task, and rows that do not pass it are not decoded. Dask
    passes on which columns a computation needs. Types are pandas' ArrowDtype, so that they do not depend on whether
    a partition has nulls. A file that changes is refused with ChangedFileError.
    """
    import dask.dataframe

    data = as_dataset(source)
    scan = data.scan(list(columns) if columns is not None else None, where, limit=0)
    schema = scan._arrow_schema()
    return dask.dataframe.from_map(_read_part, pieces_of(data, where), meta=_frame(schema.empty_table()),
                                   label="bobbin", where=where, schema=schema)


def _frame(table: Any) -> pandas.DataFrame:
    import pandas

    return table.to_pandas(types_mapper=pandas.ArrowDtype, ignore_metadata=True)


def _read_part(piece: Piece, columns: Sequence[str] | None = None, where: Where = None,
               schema: Any = None) -> pandas.DataFrame:
    """A partition. Dask gives `columns` if it does not need all of them."""
    names = list(schema.names) if columns is None else list(columns)
    return _frame(read_piece(piece, names, where, schema))


def _answer(source: Any, keys: Sequence[str] | str, where: Where, order: str, limit: int | None,
            aggregates: dict[str, Aggregate]) -> Any:
    plan = Plan(source, where, keys, aggregates, order)
    answer = dask.delayed(answer_piece, pure=False)
    parts = [answer(plan.question, piece, where) for piece in plan.pieces]
    return dask.delayed(finish, pure=False)(parts, order, limit)


def group_by(source: Any, keys: Sequence[str] | str, *, where: Where = None, order: str = "", limit: int | None = None,
             **aggregates: Aggregate) -> Any:
    """As Scan.group_by(), as a Dask Delayed: a task per piece computes partial aggregates from encoded data, and one
    merges them, in the order of the rows. The result is exactly that of bb.dataset(source)."""
    return _answer(source, keys, where, order, limit, aggregates)


def aggregate(source: Any, *, where: Where = None, **aggregates: Aggregate) -> Any:
    """As Scan.aggregate(), as a Dask Delayed; see group_by()."""
    return dask.delayed(_first, pure=False)(_answer(source, (), where, "", None, aggregates))


def group_counts(source: Any, column: str, *, where: Where = None) -> Any:
    """As Scan.group_counts(), as a Dask Delayed; see group_by()."""
    rows = _answer(source, column, where, "", None, {count_title(column): count()})
    return dask.delayed(_counts, pure=False)(rows, column)


def _first(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return rows[0]


def _counts(rows: list[dict[str, Any]], column: str) -> dict[Any, int]:
    return {row[column]: row[count_title(column)] for row in rows}
