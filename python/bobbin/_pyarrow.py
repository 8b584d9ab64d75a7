# SPDX-License-Identifier: Apache-2.0
"""Files as a pyarrow Dataset: the one class for which DuckDB pushes columns and filters down."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

import pyarrow
from pyarrow import dataset as pyarrow_dataset

from ._substrait import from_expression
from ._translate import to_filter
from .expressions import Expr

if TYPE_CHECKING:
    from ._tasks import NarrowPiece
    from .datasets import Dataset
    from .file import File

    Table = Union[File, Dataset, NarrowPiece]


class BobbinDataset(pyarrow_dataset.Dataset):
    """Scans one .bob file or many. Filters are used to read less, and are then applied exactly by pyarrow.

    The base class has nothing of its own here: every function that would use it is overridden.
    """

    def __init__(self, file: Table) -> None:
        self._file = file
        self._schema = pyarrow.schema(file)
        self._types = {field.name: field.type for field in file.schema}

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns."""
        return self._schema

    @property
    def partition_expression(self) -> Any:
        """Nothing is known about all rows."""
        return pyarrow.compute.scalar(True)

    def scanner(self, columns: Any = None, filter: Any = None, batch_size: int | None = None,
                **ignored: Any) -> pyarrow_dataset.Scanner:
        """A scanner of rows that pass the filter."""
        tree, used = (None, set()) if filter is None else from_expression(filter, self._schema)
        node = to_filter(tree, self._types)
        names = self._needed(columns, used)
        scan = self._file.scan(names, None if node is None else Expr(node), batch_rows=batch_size)
        return pyarrow_dataset.Scanner.from_batches(scan.reader(), columns=columns, filter=filter, use_threads=False)

    def _needed(self, columns: Any, used: set[str] | None) -> list[str] | None:
        """The columns to read; all if that cannot be known."""
        if not isinstance(columns, (list, tuple)) or used is None:
            return None
        wanted = used.union(columns)
        return [name for name in self._schema.names if name in wanted]

    def to_table(self, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """Rows as a Table."""
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(self, columns: Any = None, filter: Any = None, **options: Any) -> Any:
        """Rows as record batches."""
        return self.scanner(columns, filter, **options).to_batches()

    def head(self, num_rows: int, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """The first rows."""
        return self.scanner(columns, filter, **options).head(num_rows)

    def take(self, indices: Any, **options: Any) -> pyarrow.Table:
        """Rows by number."""
        return self.to_table(**options).take(indices)

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        """The number of rows."""
        if filter is None:
            return self._file.num_rows
        number: int = self.scanner([], filter, **options).count_rows()
        return number

    def get_fragments(self, filter: Any = None) -> Any:
        """There are none."""
        raise NotImplementedError(".bob files have no fragments: use scanner()")

    def filter(self, expression: Any) -> Any:
        """Not supported: give the filter to scanner()."""
        raise NotImplementedError("give the filter to scanner(), to_table() or count_rows()")

    def replace_schema(self, schema: pyarrow.Schema) -> Any:
        """Not supported: a file's columns are what they are."""
        raise NotImplementedError("the columns of a .bob file cannot be replaced")

    def sort_by(self, sorting: Any, **options: Any) -> Any:
        """All rows, sorted."""
        return pyarrow_dataset.dataset(self.to_table(**options).sort_by(sorting))

    def join(self, *arguments: Any, **options: Any) -> Any:
        """Not supported: join tables."""
        raise NotImplementedError("join the tables that to_table() returns")

    join_asof = join

    def __reduce__(self) -> tuple[object, ...]:
        return BobbinDataset, (self._file,)

    def __repr__(self) -> str:
        return f"<bobbin dataset of {self._file!r}>"
