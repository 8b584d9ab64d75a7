# SPDX-License-Identifier: Apache-2.0
"""Ray: datasets as Ray Datasets, and answers that are computed by tasks from encoded data."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence

from ._answers import count_title
from ._narrow import NarrowFile
from ._tasks import Plan, answer_piece, finish, pieces_of, read_piece, with_types
from .datasets import Dataset, Piece, as_dataset
from .errors import UnavailableError
from .expressions import Aggregate, count

try:
    import ray
    import ray.data
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask
except ImportError:
    raise UnavailableError("bobbin.ray needs Ray Data: pip install 'ray[data]'") from None

if TYPE_CHECKING:
    import pyarrow

    from .file import Where


def read(source: Any, *, columns: Sequence[str] | None = None, where: Where = None, **options: Any) -> ray.data.Dataset:
    """A Ray Dataset of a file or of many, as dataset() takes them, with a read task per four million rows or so.

    Row groups that zone maps rule out for `where` get no task. Ray passes on columns, and filters that it can
    express. Options are those of ray.data.read_datasource(). A file that changes is refused with ChangedFileError.
    """
    made = BobbinDatasource(as_dataset(source), list(columns) if columns is not None else None, where)
    return ray.data.read_datasource(made, **options)


class BobbinDatasource(Datasource):
    """What Ray reads a dataset through."""

    def __init__(self, data: Dataset, columns: list[str] | None, where: Where) -> None:
        super().__init__()
        scan = data.scan(columns, where, limit=0)  # says what does not fit
        self._data = data
        self._where = where
        self._schema = scan._arrow_schema()
        self._projection_map = None if columns is None else {name: name for name in columns}

    def supports_projection_pushdown(self) -> bool:
        """Columns are read alone."""
        return True

    def supports_predicate_pushdown(self) -> bool:
        """Filters decide what is read, and are then applied exactly."""
        return True

    def estimate_inmemory_data_size(self) -> int | None:
        """Not known without reading."""
        return None

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None,
                       data_context: Any = None) -> list[ReadTask]:
        """A task per piece."""
        predicate = self.get_current_predicate()
        expression = None if predicate is None else predicate.to_pyarrow()
        names = self._get_data_columns()
        return [
            self._task(piece, names, expression, per_task_row_limit) for piece in pieces_of(self._data, self._where)
        ]

    def _task(self, piece: Piece, columns: list[str] | None, expression: Any, limit: int | None) -> ReadTask:
        where, schema = self._where, self._schema
        metadata = BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None, input_files=(piece.member.path,))

        def blocks() -> Iterator[pyarrow.Table]:
            yield _with_rows(_read(piece, columns, where, schema, expression))

        return ReadTask(blocks, metadata, per_task_row_limit=limit)


def _with_rows(table: pyarrow.Table) -> pyarrow.Table:
    """Ray loses the rows of tables without columns. Its own readers add a column, by this name, which it knows."""
    if table.num_columns:
        return table
    import pyarrow

    return table.append_column("__bsp_stub", pyarrow.nulls(table.num_rows))


def _read(piece: Piece, columns: list[str] | None, where: Where, schema: Any, expression: Any) -> pyarrow.Table:
    if expression is None:
        return read_piece(piece, columns, where, schema)
    import pyarrow

    from ._pyarrow import BobbinDataset

    names = list(schema.names) if columns is None else columns
    table = BobbinDataset(NarrowFile(piece.member.open(), piece.row_groups, where)).to_table(columns=names, filter=expression)
    return with_types(table, pyarrow.schema([schema.field(name) for name in names]))


def _answer(source: Any, keys: Sequence[str] | str, where: Where, order: str, limit: int | None,
            aggregates: dict[str, Aggregate]) -> list[dict[str, Any]]:
    plan = Plan(source, where, keys, aggregates, order)
    answer = ray.remote(answer_piece)
    parts = ray.get([answer.remote(plan.question, piece, where) for piece in plan.pieces])
    return finish(parts, order, limit)


def group_by(source: Any, keys: Sequence[str] | str, *, where: Where = None, order: str = "", limit: int | None = None,
             **aggregates: Aggregate) -> list[dict[str, Any]]:
    """As Scan.group_by(): a Ray task per piece computes partial aggregates from encoded data, and they are merged
    here, in the order of the rows. The result is exactly that of bb.dataset(source)."""
    return _answer(source, keys, where, order, limit, aggregates)


def aggregate(source: Any, *, where: Where = None, **aggregates: Aggregate) -> dict[str, Any]:
    """As Scan.aggregate(); see group_by()."""
    return _answer(source, (), where, "", None, aggregates)[0]


def group_counts(source: Any, column: str, *, where: Where = None) -> dict[Any, int]:
    """As Scan.group_counts(); see group_by()."""
    title = count_title(column)
    return {row[column]: row[title] for row in _answer(source, column, where, "", None, {title: count()})}
