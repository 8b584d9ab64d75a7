# SPDX-License-Identifier: Apache-2.0
"""What tasks on other processes and machines do: they get a piece of a dataset, open its file, and refuse it if its
checksum has changed."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Sequence

from .datasets import Dataset, Piece, as_dataset
from .expressions import Aggregate, Expr, to_node
from .file import Field, Scan
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
        self.question = Question(names, aggregates, order, {field.name: field.type for field in data.schema})


def pieces_of(data: Dataset, where: Where) -> list[Piece]:
    """At least one, so that there is always an answer."""
    return data.pieces(where) or [Piece(data._members[0], ())]


def read_piece(piece: Piece, columns: Sequence[str] | None, where: Where, schema: pyarrow.Schema) -> pyarrow.Table:
    """The rows of a piece, with the dataset's types."""
    import pyarrow

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


class NarrowPiece:
    """A piece with a filter of its own, which engines scan as they would a file."""

    def __init__(self, piece: Piece, where: Where) -> None:
        self._piece = piece
        self._where = to_node(where)
        self._file = piece.member.open()

    @property
    def schema(self) -> list[Field]:
        """The columns."""
        return self._file.schema

    @property
    def num_rows(self) -> int:
        """The number of rows that pass the filter."""
        return self.scan(()).count()

    def scan(self, columns: Sequence[str] | str | None = None, where: Where = None, **options: Any) -> Scan:
        """Rows that pass both filters."""
        nodes = tuple(node for node in (self._where, to_node(where)) if node is not None)
        both = None if not nodes else Expr(nodes[0] if len(nodes) == 1 else ("and", nodes))
        return self._file.scan(columns, both, row_groups=self._piece.row_groups, **options)

    def __arrow_c_schema__(self) -> object:
        return self._file.__arrow_c_schema__()
