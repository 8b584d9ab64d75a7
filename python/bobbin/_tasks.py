# SPDX-License-Identifier: Apache-2.0
"""What tasks on other processes and machines do: they get a piece of a dataset, open its file, and refuse it if its
checksum has changed."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Sequence

from ._need import need
from .datasets import Dataset, Piece, as_dataset
from .expressions import Aggregate
from .partials import Partial, Question, merge

if TYPE_CHECKING:
    import pyarrow

    from .file import Where


class Plan:
    """A question to a dataset, and the pieces that have to answer it."""

    def __init__(self, source: Any, where: Where, keys: Sequence[str] | str, aggregates: dict[str, Aggregate],
                 order: str = "") -> None:
        data = as_dataset(source)
        names = [keys] if isinstance(keys, str) else list(keys)
        self.where = where
        self.pieces = pieces_of(data, where)
        self.question = Question(names, aggregates, order, data.scan(())._formats())


def pieces_of(data: Dataset, where: Where) -> list[Piece]:
    """At least one, so that there is always an answer."""
    return data.pieces(where) or [Piece(data._members[0], ())]


def read_piece(piece: Piece, columns: Sequence[str] | None, where: Where, schema: pyarrow.Schema) -> pyarrow.Table:
    """The rows of a piece, with the dataset's types."""
    pyarrow = need("pyarrow")
    fields = pyarrow.schema([schema.field(name) for name in columns]) if columns is not None else schema
    scan = piece.scan(columns, where)
    reader = pyarrow.RecordBatchReader.from_stream(scan, schema=fields)
    return with_types(pyarrow.Table.from_batches(list(reader), schema=reader.schema), fields)


def with_types(table: pyarrow.Table, fields: pyarrow.Schema) -> pyarrow.Table:
    """The table with other types. Casting a table without columns would lose the number of its rows."""
    return table.cast(fields) if fields.names else table


def answer_piece(question: Question, piece: Piece, where: Where) -> Partial:
    """What a piece contributes to an answer. Only this travels: no rows do."""
    scan = piece.scan((), where)
    return question.of(scan._file, scan._spec)


def finish(parts: Iterable[Partial], order: str, limit: int | None) -> list[dict[str, Any]]:
    """The answer, from the parts in the order of the rows."""
    return merge(parts).rows(order=order, limit=limit)
