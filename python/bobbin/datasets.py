# SPDX-License-Identifier: Apache-2.0
"""Many files of one schema as one table."""
from __future__ import annotations

import os
import threading
from array import array
from bisect import bisect_left
from collections import deque
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Sequence, TypeVar, Union

from ._answers import Answers
from ._categories import restore_polars
from ._columns import to_numpy
from ._narrow import NarrowFile
from ._need import need
from ._table import Table
from .errors import ChangedFileError, InvalidArgumentError, UnsupportedError
from .file import Exported, Field, File, Scan, column_names, distinct, row_range
from .partials import Partial, Question

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    import numpy
    import polars
    import pyarrow

    from .file import Where

    Path = Union[str, os.PathLike[str]]

_MAX_OPEN = 16  # of all datasets: each takes a descriptor, and caches of up to 72 MiB
PIECE_ROWS = 1 << 22  # about how many rows one task looks at
_Made = TypeVar("_Made")
_WIDE = {"u": "U", "z": "Z"}  # Arrow's strings with 32-bit offsets, and with 64


class Member(NamedTuple):
    """A file of a dataset, as it was when the dataset was made."""

    path: str
    checksum: int
    num_rows: int

    def open(self) -> File:
        """The file, if it is still the same."""
        file = File(self.path)
        if file.checksum != self.checksum:
            raise ChangedFileError(f"{self.path}: the file changed since the dataset was made: its checksum differs")
        return file


class Piece(NamedTuple):
    """Some row groups of a file: what one task reads, on any machine that has the path."""

    member: Member
    row_groups: tuple[int, ...]

    def scan(self, columns: Sequence[str] | str | None = None, where: Where = None, **options: Any) -> Scan:
        """The rows of the piece. Raises ChangedFileError if the file is not the one it was."""
        return self.member.open().scan(columns, where, row_groups=self.row_groups, **options)


class DatasetStats(NamedTuple):
    """How much the latest run of a scan has read."""

    files: int
    files_read: int
    row_groups: int
    row_groups_read: int


class _OpenFiles:
    """The files of all datasets that are kept open, up to a number. One whose path leads to other bytes is opened
    again, and refused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, tuple[Any, File]] = {}

    def get(self, member: Member) -> File:
        stamp = _stamp(member.path)
        with self._lock:
            known = self._files.pop(member.path, None)
        if known is None or known[0] != stamp or known[1].checksum != member.checksum:
            known = (stamp, member.open())  # without the lock: others need not wait for a disk
        with self._lock:
            self._files.pop(member.path, None)
            self._files[member.path] = known  # the latest is last
            while len(self._files) > _MAX_OPEN:
                del self._files[next(iter(self._files))]
        return known[1]


def _stamp(path: str) -> Any:
    """What a change of a file changes. Not every change: checksums find the rest when bytes are read."""
    try:
        found = os.stat(path)
    except OSError:
        return None  # opening it says why
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


_open_files = _OpenFiles()


def _paths(source: Any) -> list[str]:
    import glob

    if not isinstance(source, (str, os.PathLike)):
        return [os.path.abspath(os.fspath(path)) for path in source]
    path = os.fspath(source)
    if os.path.isdir(path):
        names = glob.glob(os.path.join(glob.escape(path), "**", "*.bob"), recursive=True)
    elif glob.has_magic(path) and not os.path.exists(path):
        names = glob.glob(path, recursive=True)
    else:
        names = [path]
    return sorted(os.path.abspath(name) for name in names)


class _Schema:
    """The columns of all files: names and types are equal; a column is nullable if it is in one of them."""

    def __init__(self, file: File) -> None:
        self._first = file.path
        self.fields = file.schema
        self.formats = list(file._core.formats)

    def add(self, file: File) -> None:
        names = [field.name for field in self.fields]
        if file.columns != names:
            raise InvalidArgumentError(f"{file.path}: columns {file.columns}, but {self._first} has {names}")
        for i, (known, found) in enumerate(zip(self.fields, file.schema)):
            format = file._core.formats[i]
            widths = {_WIDE.get(format, format), _WIDE.get(self.formats[i], self.formats[i])}
            if known.type != found.type or len(widths) > 1:
                raise InvalidArgumentError(
                    f"{file.path}: column {known.name!r} has type {found.type} ({format} in Arrow), "
                    f"but in {self._first} it has {known.type} ({self.formats[i]})")
            if format != self.formats[i]:
                self.formats[i] = widths.pop()
            self.fields[i] = known._replace(nullable=known.nullable or found.nullable)


class Dataset(Table):
    """Files of one schema, as one table: rows come in the order of the files. Made by bb.dataset(); pickles as the
    paths and checksums of its files. Any number of threads may use one."""

    def __init__(self, source: Any) -> None:
        paths = _paths(source)
        if not paths:
            raise InvalidArgumentError(f"no .bob files: {source!r}")
        first = File(paths[0])
        schema = _Schema(first)
        self._members = [Member(paths[0], first.checksum, first.num_rows)]
        self._num_groups = first.num_row_groups
        self._nbytes = first.nbytes
        for path in paths[1:]:
            with File(path) as file:
                schema.add(file)
                self._members.append(Member(path, file.checksum, file.num_rows))
                self._num_groups += file.num_row_groups
                self._nbytes += file.nbytes
        self._schema = schema

    # ---- What is in it ----

    @property
    def paths(self) -> list[str]:
        """The files, in order."""
        return [member.path for member in self._members]

    @property
    def schema(self) -> list[Field]:
        """The columns."""
        return list(self._schema.fields)

    @property
    def num_rows(self) -> int:
        """The number of rows of all files."""
        return sum(member.num_rows for member in self._members)

    @property
    def nbytes(self) -> int:
        """The size of all files."""
        return self._nbytes

    def verify(self) -> None:
        """Reads and checks every byte of every file; raises CorruptError or ChangedFileError."""
        for member in self._members:
            _open_files.get(member).verify()

    # ---- Reading ----

    def scan(self, columns: Sequence[str] | str | None = None, where: Where = None, *, limit: int | None = None,
             rows: slice | range | tuple[int, int] | None = None, batch_rows: int | None = None,
             backend: str = "cpu", threads: int = 0) -> DatasetScan:
        """Rows to read, lazily, as File.scan(). Of files that zone maps rule out nothing is read but footers."""
        return DatasetScan(self, columns, where, limit, rows, batch_rows, backend, threads)

    def pieces(self, where: Where = None) -> list[Piece]:
        """The row groups that zone maps do not rule out, divided for tasks, in order."""
        return [piece for member in self._members for piece in _divide(member, _open_files.get(member), where)]

    def take(self, indices: Any, columns: Sequence[str] | str | None = None) -> pyarrow.Table:
        """Rows by number, in the given order, as a pyarrow Table. Only what holds them is read."""
        pyarrow = need("pyarrow")
        wanted, order = distinct(indices, self.num_rows)
        scan = self.scan(columns, limit=0)
        schema = scan._arrow_schema()
        batches = [batch for file, rows in self._rows_of(wanted)
                   for batch in file.scan(columns)._batches(rows, schema)]
        return pyarrow.Table.from_batches(batches, schema=schema).take(pyarrow.array(order, pyarrow.int64()))

    def _rows_of(self, wanted: list[int]) -> Iterator[tuple[File, list[int]]]:
        """The files that have the rows, which ascend, each with their numbers in it."""
        first = 0
        for member in self._members:
            begin, end = bisect_left(wanted, first), bisect_left(wanted, first + member.num_rows)
            if begin < end:
                yield _open_files.get(member), [row - first for row in wanted[begin:end]]
            first += member.num_rows

    def parts(self, where: Where = None) -> Iterator[NarrowFile]:
        """The row groups that zone maps do not rule out, each to be scanned alone."""
        for member in self._members:
            yield from _open_files.get(member).parts(where)

    def _all(self) -> DatasetScan:
        return self.scan()

    def __getstate__(self) -> tuple[object, ...]:
        return self._members, self._num_groups, self._nbytes, self._schema

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._members, self._num_groups, self._nbytes, self._schema = state

    def __repr__(self) -> str:
        return f"<bobbin.Dataset of {len(self._members)} files: {self.num_rows} rows, {len(self.columns)} columns>"


def _divide(member: Member, file: File, where: Where) -> Iterator[Piece]:
    """Runs of row groups of about PIECE_ROWS rows, without the row groups that zone maps rule out. The division does
    not depend on the filter, and neither do the last digits of sums of floats."""
    left = set(file.scan(where=where).candidates())
    groups = file.num_row_groups
    size = groups if file.num_rows <= PIECE_ROWS else max(1, groups * PIECE_ROWS // file.num_rows)
    for begin in range(0, groups, max(1, size)):
        wanted = tuple(group for group in range(begin, min(begin + size, groups)) if group in left)
        if wanted:
            yield Piece(member, wanted)


def _in_order(pool: ThreadPoolExecutor, ahead: int, work: Callable[[Piece], _Made],
              pieces: Sequence[Piece]) -> Iterator[_Made]:
    """What work() returns for each piece, in order. At most `ahead` pieces are begun before they are needed, so that
    few results wait for a slow one."""
    waiting: deque[Future[_Made]] = deque()
    for piece in pieces:
        waiting.append(pool.submit(work, piece))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class DatasetScan(Answers):
    """Rows of a dataset, which are read on demand."""

    def __init__(self, data: Dataset, columns: Sequence[str] | str | None, where: Where, limit: int | None,
                 rows: slice | range | tuple[int, int] | None, batch_rows: int | None, backend: str,
                 threads: int) -> None:
        self._arguments = (columns, where, limit, rows, batch_rows, backend, threads)
        self._data = data
        self._columns = column_names(columns)
        self._where = where
        self._limit = limit
        self._rows = row_range(rows, data.num_rows)
        self._options: dict[str, Any] = {"batch_rows": batch_rows, "backend": backend, "threads": threads}
        self._threads = threads
        self._read = (0, 0)
        # Says now what does not fit the columns.
        _open_files.get(data._members[0]).scan(self._columns, where, limit=limit, **self._options)

    @property
    def schema(self) -> list[Field]:
        """The columns that the scan returns."""
        known = {field.name: field for field in self._data.schema}
        return list(known.values()) if self._columns is None else [known[name] for name in self._columns]

    @property
    def stats(self) -> DatasetStats:
        """How much of the files the latest run has read."""
        return DatasetStats(len(self._data._members), self._read[0], self._data._num_groups, self._read[1])

    # ---- Rows ----

    def _scans(self) -> Iterator[tuple[int, Scan]]:
        """A scan of each file that may have rows, with the number of the file's first row, until there are enough rows.
        The one before must have been read."""
        left = self._limit
        begin, end = self._rows
        end_of_file = 0
        self._read = (0, 0)
        for member in self._data._members:
            first, end_of_file = end_of_file, end_of_file + member.num_rows
            low, high = begin - first, (member.num_rows if end is None else end - first)
            if high <= 0 or low >= member.num_rows:
                continue
            rows = None if low <= 0 and high >= member.num_rows else (max(low, 0), min(high, member.num_rows))
            file = _open_files.get(member)
            scan = file.scan(self._columns, self._where, limit=left, rows=rows, **self._options)
            if not scan.candidates():
                continue
            yield first, scan
            self._count(scan.stats.row_groups_read)
            if left is not None:
                left -= scan._spec.rows_returned
                if left <= 0:
                    return

    def _count(self, row_groups: int) -> None:
        files, groups = self._read
        self._read = (files + (1 if row_groups else 0), groups + row_groups)

    def _arrow_schema(self) -> pyarrow.Schema:
        """The first file's schema, but strings are wide and columns nullable if they are so in any file."""
        pyarrow = need("pyarrow")
        scan = _open_files.get(self._data._members[0]).scan(self._columns)
        schema = pyarrow.schema(scan)
        formats = dict(zip(self._data.columns, self._data._schema.formats))
        wide = {"U": pyarrow.large_string(), "Z": pyarrow.large_binary()}
        for i, field in enumerate(self.schema):
            kind = wide.get(formats[field.name], schema.field(i).type)
            schema = schema.set(i, schema.field(i).with_type(kind).with_nullable(field.nullable))
        return schema

    def __arrow_c_schema__(self) -> object:
        return self._arrow_schema().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def reader(self) -> pyarrow.RecordBatchReader:
        """A pyarrow RecordBatchReader; memory holds a few row groups."""
        arrow = need("pyarrow")
        schema = self._arrow_schema()

        def batches() -> Iterator[pyarrow.RecordBatch]:
            for _, scan in self._scans():
                for batch in scan._batches(schema=schema):
                    # A batch made of no columns would have no rows.
                    yield arrow.RecordBatch.from_arrays(batch.columns, schema=schema) if schema.names else batch

        return arrow.RecordBatchReader.from_batches(schema, batches())

    def to_polars(self) -> polars.DataFrame:
        """All rows as a Polars DataFrame."""
        polars = need("polars")
        frame = polars.concat([self._empty_polars(), *map(polars.DataFrame, self._arrays())])
        return restore_polars(polars, frame, self._categories())

    def _empty_polars(self) -> polars.DataFrame:
        return _open_files.get(self._data._members[0]).scan(self._columns)._empty_polars()

    def _arrays(self) -> Iterator[Exported]:
        for _, scan in self._scans():
            yield from scan._arrays()

    def to_numpy(self, *, nulls: Any = None) -> dict[str, numpy.ndarray[Any, Any]]:
        """Columns as numpy arrays, as Scan.to_numpy()."""
        numpy = need("numpy")
        parts: list[list[Any]] = [[] for _ in self.schema]
        for _, scan in self._scans():
            for made, field, column in zip(parts, self.schema, scan._file.read(scan._spec)):
                made.append(to_numpy(numpy, *column, nulls=nulls, format=self._formats()[field.name]))
        if not parts or not parts[0]:
            empty = _open_files.get(self._data._members[0]).scan(self._columns, limit=0)
            return empty.to_numpy(nulls=nulls)
        join = numpy.ma.concatenate if nulls == "mask" else numpy.concatenate
        return {field.name: join(made) for field, made in zip(self.schema, parts)}

    def row_ids(self) -> memoryview:
        """The numbers of the rows, counted from the first row of the first file."""
        ids = array("Q")
        for first, scan in self._scans():
            ids.extend(first + row for row in scan.row_ids())
        return memoryview(ids)

    # ---- Answers ----

    def count(self) -> int:
        """The number of rows."""
        return sum(scan.count() for _, scan in self._scans())

    def __len__(self) -> int:
        return self.count()

    def _categories(self) -> dict[str, dict[str, Any]]:
        return _open_files.get(self._data._members[0]).scan(())._categories()

    def _formats(self) -> dict[str, str]:
        return dict(zip(self._data.columns, self._data._schema.formats))

    def _answer(self, question: Question) -> Partial:
        """Merged from pieces, which several threads work on, in the order of the rows."""
        if self._limit is not None or self._arguments[3] is not None:
            raise UnsupportedError("aggregates are not supported for scans with rows= or limit=")
        from concurrent.futures import ThreadPoolExecutor

        pieces = self._data.pieces(self._where) or [Piece(self._data._members[0], ())]
        threads = min(self._threads or os.cpu_count() or 1, len(pieces))
        pool = ThreadPoolExecutor(threads)
        ended = threading.Event()
        try:
            parts = _in_order(pool, 2 * threads, lambda piece: self._partial(question, piece, ended), pieces)
            return self._merged(parts)
        finally:
            ended.set()  # after an error or Ctrl-C, what still runs is to stop
            pool.shutdown(wait=False, cancel_futures=True)

    def _partial(self, question: Question, piece: Piece, ended: threading.Event) -> tuple[str, Scan, Partial]:
        def check() -> None:
            if ended.is_set():
                raise KeyboardInterrupt  # nobody waits for the answer any more

        file = _open_files.get(piece.member)
        scan = file.scan((), self._where, row_groups=piece.row_groups, backend=self._options["backend"])
        return piece.member.path, scan, question.of(scan._file, scan._spec, check)

    def _merged(self, parts: Iterator[tuple[str, Scan, Partial]]) -> Partial:
        whole: Partial | None = None
        files, groups = set(), 0
        for path, scan, part in parts:
            whole = part if whole is None else whole.merge(part)
            groups += scan.stats.row_groups_read
            files.update([path] if scan.stats.row_groups_read else [])
        assert whole is not None  # there is at least one piece
        self._read = (len(files), groups)
        return whole

    # ---- As a Python object ----

    def __reduce__(self) -> tuple[object, ...]:
        return DatasetScan, (self._data, *self._arguments)

    def __repr__(self) -> str:
        names = ", ".join(field.name for field in self.schema)
        return f"<bobbin.DatasetScan of {len(self._data._members)} files: {names}>"


def dataset(source: Path | Sequence[Path]) -> Dataset:
    """Files as one table: a folder (all .bob files in it and below, by name), a pattern such as "2024-*.bob", or a
    list of paths. All must have the same columns; the error names the file that differs. Footers are read now; a file
    that changes later is refused with ChangedFileError."""
    return Dataset(source)


def as_dataset(source: Any) -> Dataset:
    """A Dataset of what dataset() takes, of a File, or the one that is given."""
    if isinstance(source, Dataset):
        return source
    if isinstance(source, File):
        if source.path is None:
            raise InvalidArgumentError("only a file that was opened by its path can be read by other processes")
        return Dataset([source._absolute])
    return Dataset(source)
