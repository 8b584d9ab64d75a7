# SPDX-License-Identifier: Apache-2.0
"""Files as a pyarrow Dataset: the one class for which DuckDB pushes columns and filters down."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Union

import pyarrow
from pyarrow import dataset as pyarrow_dataset

from ._substrait import from_expression
from ._translate import Filter, to_filter
from .errors import UnsupportedError
from .expressions import Expr

if TYPE_CHECKING:
    from ._table import AnyScan
    from ._narrow import NarrowFile
    from .datasets import Dataset
    from .file import File

    Table = Union[File, Dataset, NarrowFile]

# Rows that show how many pass a filter, and the share from which on it costs more than it saves.
_SAMPLE_ROWS = 1 << 16
_MOST = 0.6


class BobbinDataset(pyarrow_dataset.Dataset):
    """Scans one .bob file or many. A filter that Bobbin understands is applied by it alone; otherwise it reads less
    because of the part that it understands, and pyarrow applies the filter to what is left.

    The base class has nothing of its own here: every function that would use it is overridden.
    """

    def __init__(self, file: Table, where: Any = None) -> None:
        self._file = file
        self._where = where  # of filter(): a pyarrow expression
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
        return BobbinScanner(self, columns, self._both(filter), batch_size)

    def _both(self, filter: Any) -> Any:
        return filter if self._where is None else self._where if filter is None else self._where & filter

    def to_table(self, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """Rows as a Table."""
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(self, columns: Any = None, filter: Any = None, **options: Any) -> Any:
        """Rows as record batches."""
        return self.scanner(columns, filter, **options).to_batches()

    def head(self, num_rows: int, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """The first rows."""
        return self.scanner(columns, filter, **options).head(num_rows)

    def take(self, indices: Any, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """Rows by number."""
        return self.scanner(columns, filter, **options).take(indices)

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        """The number of rows."""
        number: int = self.scanner([], filter, **options).count_rows()
        return number

    def get_fragments(self, filter: Any = None) -> Iterator[BobbinFragment]:
        """The row groups that a filter does not rule out, each of which can be scanned alone."""
        for part in self._file.parts(self.scanner([], filter)._where()):
            yield BobbinFragment(BobbinDataset(part, self._where))

    def filter(self, expression: Any) -> BobbinDataset:
        """The same with a filter, which all scanners apply."""
        return BobbinDataset(self._file, self._both(expression))

    def replace_schema(self, schema: pyarrow.Schema) -> Any:
        """Not supported: a file's columns are what they are. pyarrow asks for it to make one dataset of several, which
        bb.dataset() does for .bob files."""
        raise UnsupportedError("the columns of a .bob file cannot be replaced; bb.dataset([...]) makes one dataset of many files")

    def sort_by(self, sorting: Any, **options: Any) -> Any:
        """All rows, sorted."""
        return pyarrow_dataset.dataset(self.to_table(**options).sort_by(sorting))

    def join(self, *arguments: Any, **options: Any) -> Any:
        """Not supported: join tables."""
        raise UnsupportedError("join the tables that to_table() returns")

    join_asof = join

    def __reduce__(self) -> tuple[object, ...]:
        return BobbinDataset, (self._file, self._where)

    def __repr__(self) -> str:
        return f"<bobbin dataset of {self._file!r}>"


class BobbinScanner(pyarrow_dataset.Scanner):
    """Rows of a dataset that pass a filter. As with the dataset, the base class has nothing of its own."""

    def __init__(self, data: BobbinDataset, columns: Any, filter: Any, batch_size: int | None) -> None:
        self._data = data
        self._columns = columns
        self._filter = filter
        self._batch_rows = batch_size
        tree, used = (None, set()) if filter is None else from_expression(filter, data.schema)
        self._understood = Filter(None, True) if filter is None else to_filter(tree, data._types)
        self._used: set[str] | None = used

    @property
    def dataset_schema(self) -> pyarrow.Schema:
        """The columns of the dataset."""
        return self._data.schema

    @property
    def projected_schema(self) -> pyarrow.Schema:
        """The columns of the rows."""
        names = self._names()
        if names is not None:
            return pyarrow.schema([self._data.schema.field(name) for name in names], self._data.schema.metadata)
        return self._with_pyarrow(self._data._file.scan(limit=0)).projected_schema

    def _names(self) -> list[str] | None:
        """The wanted columns, if they are a list of names."""
        if self._columns is None:
            return list(self._data.schema.names)
        known = set(self._data.schema.names)
        is_list = isinstance(self._columns, (list, tuple)) and all(name in known for name in self._columns)
        return list(self._columns) if is_list else None

    def _is_plain(self) -> bool:
        """Whether Bobbin alone does all that is wanted."""
        return self._understood.is_exact and self._names() is not None

    def _where(self) -> Expr | None:
        node = self._understood.node
        return None if node is None else Expr(node)

    def _scan(self, columns: list[str] | None, limit: int | None = None) -> AnyScan:
        return self._data._file.scan(columns, self._where(), limit=limit, batch_rows=self._batch_rows)

    def _rows(self, limit: int | None = None) -> AnyScan:
        """A scan whose rows need no more work."""
        return self._scan(self._names(), limit)

    def _with_pyarrow(self, scan: AnyScan) -> pyarrow_dataset.Scanner:
        return pyarrow_dataset.Scanner.from_batches(scan.reader(), columns=self._columns, filter=self._filter, use_threads=False)

    def _filtered(self) -> pyarrow_dataset.Scanner:
        """The rows as pyarrow filters and projects them. What Bobbin understands of the filter is of use if it leaves
        much out."""
        if self._understood.node is not None and self._passes_mostly():
            self._understood = Filter(None, False)
        return self._with_pyarrow(self._scan(self._needed()))

    def _passes_mostly(self) -> bool:
        sample = self._data._file.scan((), self._where(), rows=slice(0, _SAMPLE_ROWS))
        return sample.count() > _MOST * min(_SAMPLE_ROWS, self._data._file.num_rows)

    def _needed(self) -> list[str] | None:
        """The columns to read; all if that cannot be known."""
        names = self._names()
        if names is None or self._used is None:
            return None
        wanted = self._used.union(names)
        return [name for name in self._data.schema.names if name in wanted]

    # ---- Rows ----

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """Rows as a RecordBatchReader."""
        if self._is_plain():
            return pyarrow.RecordBatchReader.from_stream(self._rows())
        return self._filtered().to_reader()

    def to_table(self) -> pyarrow.Table:
        """Rows as a Table."""
        return self._rows().to_arrow() if self._is_plain() else self._filtered().to_table()

    def to_batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Rows as record batches."""
        yield from self._rows().batches() if self._is_plain() else self._filtered().to_batches()

    def scan_batches(self) -> Iterator[Any]:
        """As to_batches(), as pyarrow's scanners return them."""
        for batch in self.to_batches():
            yield pyarrow_dataset.TaggedRecordBatch(record_batch=batch, fragment=None)

    def head(self, num_rows: int) -> pyarrow.Table:
        """The first rows."""
        return self._rows(num_rows).to_arrow() if self._is_plain() else self._filtered().head(num_rows)

    def count_rows(self) -> int:
        """The number of rows."""
        if self._understood.is_exact:
            return self._scan([]).count()
        number: int = self._filtered().count_rows()
        return number

    def take(self, indices: Any) -> pyarrow.Table:
        """Rows by number."""
        if self._filter is None and self._is_plain():
            return self._data._file.take(indices, self._names())
        return self.to_table().take(indices)

    def __repr__(self) -> str:
        return f"<bobbin scanner of {self._data._file!r}>"


class BobbinFragment(pyarrow_dataset.Fragment):
    """A part of a dataset. As with the dataset, the base class has nothing of its own."""

    def __init__(self, data: BobbinDataset) -> None:
        self._data = data

    @property
    def physical_schema(self) -> pyarrow.Schema:
        """The columns."""
        return self._data.schema

    @property
    def partition_expression(self) -> Any:
        """Nothing is known about all rows."""
        return self._data.partition_expression

    def scanner(self, schema: pyarrow.Schema | None = None, columns: Any = None, filter: Any = None,
                **options: Any) -> pyarrow_dataset.Scanner:
        """A scanner of rows that pass the filter."""
        return self._data.scanner(columns, filter, **options)

    def to_table(self, schema: pyarrow.Schema | None = None, columns: Any = None, filter: Any = None,
                 **options: Any) -> pyarrow.Table:
        """Rows as a Table."""
        return self._data.to_table(columns, filter, **options)

    def to_batches(self, schema: pyarrow.Schema | None = None, columns: Any = None, filter: Any = None,
                   **options: Any) -> Any:
        """Rows as record batches."""
        return self._data.to_batches(columns, filter, **options)

    def head(self, num_rows: int, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """The first rows."""
        return self._data.head(num_rows, columns, filter, **options)

    def take(self, indices: Any, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.Table:
        """Rows by number."""
        return self._data.take(indices, columns, filter, **options)

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        """The number of rows."""
        return self._data.count_rows(filter, **options)

    def __reduce__(self) -> tuple[object, ...]:
        return BobbinFragment, (self._data,)

    def __repr__(self) -> str:
        return f"<bobbin fragment of {self._data._file!r}>"
