# SPDX-License-Identifier: Apache-2.0
"""Files and lazy scans of them."""
from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Sequence, Union

from . import _core
from ._answers import Answers
from ._categories import noted, restore_polars
from ._columns import to_numpy
from ._narrow import NarrowFile
from ._need import need
from ._table import Table
from ._values import to_python
from .errors import InvalidArgumentError, whole_number
from .expressions import Aggregate, Col, Expr, to_node, with_units
from .partials import MAX_GROUPS, Partial, Question

if TYPE_CHECKING:
    import numpy
    import polars
    import pyarrow

    from ._device import DeviceTable, Memory

    Where = Union[Expr, str, Sequence[tuple[str, str, Any]], None]


class Field(NamedTuple):
    """A column: its name, its type in Bobbin's notation, and whether it can hold nulls."""

    name: str
    type: str
    nullable: bool


class Stats(NamedTuple):
    """How much of the file the latest run of a scan has read."""

    row_groups: int
    row_groups_read: int


def open_object(source: Any) -> _core.File:
    """A descriptor, a file object, or anything with the bytes of a file."""
    number = source if isinstance(source, int) and not isinstance(source, bool) else _descriptor(source)
    name = getattr(source, "name", None)  # an integer if the file has no name
    if number is not None:
        shown = name if isinstance(name, str) else f"<descriptor {number}>"
        return _core.File.open_descriptor(number, _as_text(shown))
    import tempfile

    # The reader wants a descriptor, of which it keeps a duplicate; the file has no name, and is gone after that.
    with tempfile.TemporaryFile() as stream:
        _copy_to(stream, source)
        stream.flush()
        return _core.File.open_descriptor(stream.fileno(), _as_text(name) if isinstance(name, str) else "<bytes>")


def _as_text(name: str) -> str:
    return os.fsencode(name).decode(errors="backslashreplace")  # the name need not be UTF-8


def _descriptor(source: Any) -> int | None:
    """That of a file object which hands out the bytes of its descriptor as they are: others decompress, or have none."""
    import io

    held = getattr(source, "file", source)  # of temporary files
    raw = getattr(held, "raw", held)
    return raw.fileno() if isinstance(raw, io.FileIO) else None


def _copy_to(stream: Any, source: Any) -> None:
    import shutil

    try:
        stream.write(memoryview(source))
    except TypeError:
        if not hasattr(source, "read"):
            message = f"expected a path, a descriptor, a file object or the bytes of a file, found {type(source).__name__}"
            raise InvalidArgumentError(message) from None
        if hasattr(source, "seek"):
            source.seek(0)
        try:
            shutil.copyfileobj(source, stream, 1 << 20)
        except TypeError:
            raise InvalidArgumentError("the file object returns text: open it in binary mode") from None


class Exported:
    """Rows as __arrow_c_array__ hands them over, once."""

    def __init__(self, schema: object, array: object) -> None:
        self._capsules = (schema, array)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._capsules


class File(Table):
    """An open .bob file. Any number of threads may use one; it pickles as its path."""

    def __init__(self, source: Any) -> None:
        self._path: str | None = None
        self._file: _core.File | None = None
        if isinstance(source, (str, os.PathLike)):
            self._path = os.fsdecode(source)
            self._absolute = os.path.abspath(self._path)  # the process may change its directory
            self._file = _core.File.open(os.fsencode(self._path))
        else:
            self._file = open_object(source)

    @property
    def _core(self) -> _core.File:
        if self._file is None:
            raise InvalidArgumentError("the file is closed")
        return self._file

    # ---- What is in it ----

    @property
    def path(self) -> str | None:
        """The path, if the file was opened by one."""
        return self._path

    @property
    def schema(self) -> list[Field]:
        """The columns."""
        return [Field(*column) for column in self._core.columns]

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return self._core.num_rows

    @property
    def num_row_groups(self) -> int:
        """The number of row groups."""
        return self._core.num_row_groups

    @property
    def nbytes(self) -> int:
        """The size of the file."""
        return self._core.file_bytes

    @property
    def checksum(self) -> int:
        """The footer's checksum. The footer has the checksums of all other bytes, so files with different
        data have different checksums."""
        return self._core.checksum

    @property
    def row_groups(self) -> list[dict[str, Any]]:
        """Each row group: `first_row`, `num_rows`, and `chunks`, one per column, with encoding, size, nulls and
        bounds."""
        return [self._core.row_group(index) for index in range(self._core.num_row_groups)]

    @property
    def metadata(self) -> dict[str, bytes]:
        """Keys and values of the file, without Bobbin's own."""
        return {key: value for key, value in self._core.metadata if not key.startswith("bobbin.")}

    def verify(self, progress: Callable[[float], object] | None = None, *, backend: str = "cpu") -> None:
        """Reads and checks every byte; raises CorruptError if one is wrong. `progress` gets the fraction done."""
        self._core.verify(backend, progress)

    # ---- Reading ----

    def scan(self, columns: Sequence[str] | str | None = None, where: Where = None, *, limit: int | None = None,
             rows: slice | range | tuple[int, int] | None = None, row_groups: Sequence[int] | None = None,
             batch_rows: int | None = None, backend: str = "cpu", threads: int = 0) -> Scan:
        """Rows to read, lazily: nothing is read until data is requested, and a scan can be used several times.

        `where` is an expression of `bb.col`, text in the command's syntax, or a list of (column, operator, value).
        `rows` is a range of row numbers to look at, `limit` the number of rows to return.
        """
        return Scan(self, columns, where, limit, rows, row_groups, batch_rows, backend, threads)

    def take(self, indices: Any, columns: Sequence[str] | str | None = None) -> pyarrow.Table:
        """Rows by number, in the given order, as a pyarrow Table. Only what holds them is read."""
        pyarrow = need("pyarrow")
        wanted, order = distinct(indices, self.num_rows)
        scan = self.scan(columns)
        return pyarrow.Table.from_batches(list(scan._batches(wanted)), schema=pyarrow.schema(scan)).take(pyarrow.array(order, pyarrow.int64()))

    def parts(self, where: Where = None) -> Iterator[NarrowFile]:
        """The row groups that zone maps do not rule out, each to be scanned alone."""
        for group in self.scan(where=where).candidates():
            yield NarrowFile(self, (group,))

    def _all(self) -> Scan:
        return self.scan()

    # ---- As a Python object ----

    def close(self) -> None:
        """Closes the file. Scans and arrays that were made before stay valid."""
        self._file = None

    def __enter__(self) -> File:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        if self._path is None:
            raise TypeError("only a file that was opened by its path can be pickled")
        return File, (self._absolute,)

    def __repr__(self) -> str:
        name = self._path or "in memory"
        if self._file is None:
            return f"<bobbin.File {name!r}: closed>"
        return f"<bobbin.File {name!r}: {self.num_rows} rows, {len(self.columns)} columns, {self.nbytes} bytes>"

    def _repr_html_(self) -> str:
        return _html(repr(self), *(([], []) if self._file is None else (self.schema, self.row_groups)))


def _html(title: str, fields: Sequence[Field], row_groups: Sequence[dict[str, Any]]) -> str:
    """A table of columns: names, types, encodings, sizes, and raw bytes divided by them."""
    from html import escape

    sizes = {field.name: [0, 0] for field in fields}
    encodings: dict[str, set[str]] = {field.name: set() for field in fields}
    for group in row_groups:
        for chunk in group["chunks"]:
            if chunk["column"] in sizes:
                sizes[chunk["column"]][0] += chunk["bytes"]
                sizes[chunk["column"]][1] += chunk["raw_bytes"]
                encodings[chunk["column"]].add(chunk["encoding"])
    rows = []
    for field in fields:
        size, raw = sizes[field.name]
        shown = (field.name, field.type, ", ".join(sorted(encodings[field.name])), str(size),
                 f"{raw / size:.2f}" if size and raw else "-")
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in shown) + "</tr>")
    names = ("column", "type", "encoding", "bytes", "ratio")
    head = "<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
    return f"<p>{escape(title[1:-1])}</p>" + (f"<table>{head}{''.join(rows)}</table>" if rows else "")


def distinct(indices: Any, num_rows: int) -> tuple[list[int], list[int]]:
    """Numbers of rows, ascending and each once, and where those that were asked for are among them."""
    asked = [int(index) for index in (indices.to_pylist() if hasattr(indices, "to_pylist") else indices)]
    for index in asked:
        if not -num_rows <= index < num_rows:
            raise InvalidArgumentError(f"row {index} of {num_rows}")
    asked = [index + num_rows if index < 0 else index for index in asked]
    places = {index: place for place, index in enumerate(sorted(set(asked)))}
    return list(places), [places[index] for index in asked]


def column_names(columns: Any) -> list[str] | None:
    """The names of columns, which may be given as bb.col("name") too."""
    if columns is None:
        return None
    listed = [columns] if isinstance(columns, (str, Col)) else list(columns)
    for column in listed:
        if not isinstance(column, (str, Col)):
            raise InvalidArgumentError(f"columns= takes names of columns, found {column!r}")
    return [column.name if isinstance(column, Col) else column for column in listed]


def row_range(rows: slice | range | tuple[int, int] | None, num_rows: int) -> tuple[int, int | None]:
    """The first row and the one after the last, as Python counts them."""
    if rows is None:
        return 0, None
    if isinstance(rows, range):
        if rows.step != 1:
            raise InvalidArgumentError("rows= takes a range with step 1")
        if not rows:
            return 0, 0
        if rows.start < 0:
            raise InvalidArgumentError("rows= takes a range of row numbers from 0 on, or a slice")
        rows = (rows.start, rows.stop)
    begin, end, step = (rows if isinstance(rows, slice) else slice(*rows)).indices(num_rows)
    if step != 1:
        raise InvalidArgumentError("rows= takes a slice with step 1")
    return begin, end


class Scan(Answers):
    """Rows of a file, which are read on demand."""

    def __init__(self, file: File, columns: Sequence[str] | str | None, where: Where, limit: int | None,
                 rows: slice | range | tuple[int, int] | None, row_groups: Sequence[int] | None,
                 batch_rows: int | None, backend: str, threads: int) -> None:
        limit = None if limit is None else whole_number("limit", limit)
        batch_rows = None if batch_rows is None else whole_number("batch_rows", batch_rows, 1)
        threads = whole_number("threads", threads)
        row_groups = None if row_groups is None else [whole_number("row_groups", group) for group in row_groups]
        self._columns = column_names(columns)
        self._arguments = (self._columns, where, limit, rows, row_groups, batch_rows, backend, threads)
        self._source = file
        self._file = file._core
        self._has_groups = row_groups is not None
        begin, end = row_range(rows, self._file.num_rows)
        groups = None if row_groups is None else sorted(row_groups)
        node = with_units(to_node(where), self._formats())
        self._spec = self._file.spec(columns=self._columns, where=node, begin=begin, end=end,
                                     row_groups=groups, limit=limit, batch_rows=batch_rows, backend=backend,
                                     threads=threads)

    @property
    def schema(self) -> list[Field]:
        """The columns that the scan returns."""
        known = {name: Field(name, kind, nullable) for name, kind, nullable in self._file.columns}
        return list(known.values()) if self._columns is None else [known[name] for name in self._columns]

    @property
    def stats(self) -> Stats:
        """How much of the file the latest run has read."""
        return Stats(self._file.num_row_groups, self._spec.row_groups_read)

    # ---- Rows ----

    def __arrow_c_schema__(self) -> object:
        return self._file.schema(self._spec)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._file.stream(self._spec, requested_schema)

    def _arrays(self, rows: list[int] | None = None, requested: object = None) -> Iterator[Exported]:
        """The rows in pieces, with errors of this package's own kinds. An Arrow stream could pass on only a text."""
        source = self._file.batches(self._spec, requested, rows)
        while (found := source.next()) is not None:
            yield Exported(*found)

    def _batches(self, rows: list[int] | None = None, schema: pyarrow.Schema | None = None) -> Iterator[pyarrow.RecordBatch]:
        pyarrow = need("pyarrow")
        for array in self._arrays(rows, None if schema is None else schema.__arrow_c_schema__()):
            yield pyarrow.record_batch(array)

    def reader(self) -> pyarrow.RecordBatchReader:
        """A pyarrow RecordBatchReader; memory holds a few batches."""
        pyarrow = need("pyarrow")
        return pyarrow.RecordBatchReader.from_batches(pyarrow.schema(self), self._batches())

    def to_polars(self) -> polars.DataFrame:
        """All rows as a Polars DataFrame."""
        polars = need("polars")
        frame = polars.concat([self._empty_polars(), *map(polars.DataFrame, self._arrays())])
        return restore_polars(polars, frame, self._categories())

    def _empty_polars(self) -> polars.DataFrame:
        polars = need("polars")
        return polars.DataFrame(Scan(self._source, self._columns, None, 0, None, None, None, "cpu", 1))

    def to_numpy(self, *, nulls: Any = None) -> dict[str, numpy.ndarray[Any, Any]]:
        """Columns as numpy arrays, without a copy where there are no nulls. Decimals become floats, strings objects.

        Nulls become NaN, NaT or None. Integers and booleans have nothing of the kind: give `nulls` the value to use,
        or "mask" for masked arrays.
        """
        numpy = need("numpy")
        columns = self._file.read(self._spec)
        formats = self._formats()
        return {field.name: to_numpy(numpy, *column, nulls=nulls, format=formats[field.name])
                for field, column in zip(self.schema, columns)}

    def to_device(self, device: str = "cuda", *, stream: Any = None, memory: Memory | None = None) -> DeviceTable:
        """Columns in the memory of the GPU ("cuda"), or of the emulator that tests use: reading, copying and decoding
        overlap. Each column of numbers has __dlpack__ and __cuda_array_interface__, all together have
        __arrow_c_device_array__. Not for scans with a filter; strings of one row group at a time.

        The values are ready when the call returns. `memory` is a function that allocates device memory, as for
        EncodedArray.to_device(), and may be called on any thread. `stream`, a CUDA stream, is passed to it; work
        submitted to that stream earlier may still use the memory."""
        from ._device import load

        return load(self, device, stream, memory)

    def device_batches(self, device: str = "cuda", *, stream: Any = None,
                       memory: Memory | None = None) -> Iterator[DeviceTable]:
        """As to_device(), one row group at a time: for strings, and for tables larger than the device's memory."""
        columns, where, limit, rows, row_groups, batch_rows, backend, threads = self._arguments
        begin, end = row_range(rows, self._file.num_rows)
        end = min(self._file.num_rows if end is None else end, begin + (self._file.num_rows if limit is None else limit))
        for first, last in self._file.row_group_ranges:
            part = (max(begin, first), min(end, last))
            if part[0] < part[1]:
                arguments = (columns, where, None, part, row_groups, batch_rows, backend, threads)
                yield Scan(self._source, *arguments).to_device(device, stream=stream, memory=memory)

    def _full_spec(self) -> _core.Spec:
        """The same with the columns listed."""
        if self._columns is not None:
            return self._spec
        arguments = (self._file_columns(), *self._arguments[1:])
        return Scan(self._source, *arguments)._spec

    def _file_columns(self) -> list[str]:
        return [name for name, _, _ in self._file.columns]

    def row_ids(self) -> memoryview:
        """The numbers of the rows, as a memoryview of 64-bit integers."""
        ids = memoryview(self._file.row_ids(self._spec))
        return ids.cast("Q")

    # ---- Answers ----

    def count(self) -> int:
        """The number of rows."""
        return self._file.count(self._spec)

    def __len__(self) -> int:
        return self.count()

    def _categories(self) -> dict[str, dict[str, Any]]:
        return noted(self._file.metadata)

    def _formats(self) -> dict[str, str]:
        return dict(zip(self._file_columns(), self._file.formats))

    def _answer(self, question: Question) -> Partial:
        return question.of(self._file, self._spec)

    def _grouped(self, keys: list[str], aggregates: dict[str, Aggregate], order: str, limit: int | None,
                 max_groups: int = MAX_GROUPS) -> list[dict[str, Any]]:
        if self._has_groups:  # some row groups: merged from runs of them
            return super()._grouped(keys, aggregates, order, limit, max_groups)
        question = Question(keys, aggregates, "", self._formats())
        rows = self._file.aggregate(self._spec, keys, question.wanted, question.names, order, limit, max_groups)
        return [
            {title: to_python(value, kind) for title, kind, value in zip(question.titles, question.kinds, row)}
            for row in rows
        ]

    def candidates(self) -> list[int]:
        """The row groups that zone maps do not rule out. Reads no data."""
        return _core.candidates(self._file, self._spec)

    # ---- As a Python object ----

    def __reduce__(self) -> tuple[object, ...]:
        return Scan, (self._source, *self._arguments)

    def __repr__(self) -> str:
        names = ", ".join(field.name for field in self.schema)
        return f"<bobbin.Scan of {self._source.path or 'a file'!r}: {names}>"

    def _repr_html_(self) -> str:
        groups = [self._file.row_group(index) for index in range(self._file.num_row_groups)]
        return _html(repr(self), self.schema, groups)


def open(source: Any) -> File:
    """Opens a .bob file: a path, a descriptor or file object that can seek, or the bytes of a file."""
    return File(source)


def inspect(source: Any) -> dict[str, Any]:
    """What is in a file: rows, columns, row groups, and how each chunk is encoded."""
    with File(source) as file:
        return {
            "rows": file.num_rows,
            "bytes": file.nbytes,
            "format_version": file._core.format_version,
            "columns": [field._asdict() for field in file.schema],
            "metadata": file.metadata,
            "row_groups": file.row_groups,
        }


def verify(source: Any, progress: Callable[[float], object] | None = None) -> None:
    """Reads and checks every byte of a file; raises CorruptError if one is wrong."""
    with File(source) as file:
        file.verify(progress)
