# SPDX-License-Identifier: Apache-2.0
"""Writing .bob files."""
from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Mapping, Union

from . import _core
from ._categories import note_of
from ._columns import Buffers, as_type, from_any
from .errors import InvalidArgumentError, UnsupportedError, whole_number

if TYPE_CHECKING:
    Path = Union[str, os.PathLike[str]]


def _options(codec: str | None, column_codecs: Mapping[str, str] | None, goal: str, rows_per_group: int, backend: str,
             threads: int, overwrite: bool) -> dict[str, Any]:
    return {
        "codec": codec or "",
        "column_codecs": list((column_codecs or {}).items()),
        "goal": goal,
        "rows_per_group": whole_number("rows_per_group", rows_per_group, 1),
        "backend": backend,
        "threads": whole_number("threads", threads),
        "overwrite": overwrite,
    }


def _pairs(metadata: Mapping[str, str | bytes] | None) -> list[tuple[str, bytes]]:
    given = (metadata or {}).items()
    return [(key, value.encode() if isinstance(value, str) else bytes(value)) for key, value in given]


def _check_polars(data: Any) -> None:
    """Polars exports its columns of Python objects as the objects' addresses."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.DataFrame):
        for name, kind in data.schema.items():
            if kind == polars.Object:
                raise UnsupportedError(f"column {name!r}: Polars columns of Python objects")


def stream_of(data: Any) -> Any:
    """An Arrow stream capsule of anything that exports one, or an array; None for other data."""
    _check_polars(data)
    if hasattr(data, "__arrow_c_stream__"):
        return data.__arrow_c_stream__()
    if hasattr(data, "__arrow_c_array__"):
        schema, values = data.__arrow_c_array__()
        return _core.stream_of_array(schema, values)
    # pyarrow's expressions of tables that are not data yet, and pandas before 2.2
    if hasattr(data, "to_reader"):
        return data.to_reader().__arrow_c_stream__()
    return None


def write(data: Any, path: Path | BinaryIO, *, codec: str | None = None, column_codecs: Mapping[str, str] | None = None,
          goal: str = "smallest", rows_per_group: int = 1 << 20, metadata: Mapping[str, str | bytes] | None = None,
          backend: str = "cpu", threads: int = 0, overwrite: bool = False,
          progress: Callable[[int], object] | None = None, source: Path | None = None) -> int:
    """Writes a table to a .bob file and returns the number of rows.

    `data` is anything that exports an Arrow stream or struct array (a pyarrow Table or RecordBatchReader, a Polars or
    pandas DataFrame, a DuckDB relation, a Scan), or a dict of numpy arrays, buffers or lists. `progress` is called
    with the number of rows so far. The file appears when all of it is written, or not at all. `path` may be a file
    object that takes bytes; it gets all of them at the end. `source` is a file that the rows come from: nobody who may
    not read it may read the new one.
    """
    options = _options(codec, column_codecs, goal, rows_per_group, backend, threads, overwrite)
    options["source"] = None if source is None else os.fsencode(source)
    if hasattr(path, "write"):
        return _write_to_object(path, lambda name: _write(data, name, options, _pairs(metadata), progress))
    return _write(data, path, options, _pairs(metadata), progress)


def _write(data: Any, path: Path, options: dict[str, Any], pairs: list[tuple[str, bytes]],
           progress: Callable[[int], object] | None) -> int:
    stream = stream_of(data)
    if stream is not None:
        return _core.write_stream(stream, os.fsencode(path), options, pairs + note_of(data), progress)
    if not isinstance(data, Mapping):
        raise InvalidArgumentError(f"expected a table or a dict of columns, found {type(data).__name__}")
    columns = {name: from_any(name, values) for name, values in data.items()}
    _check_lengths(columns)
    schema = [(name, column.type, column.validity is not None) for name, column in columns.items()]
    writer = _core.Writer(os.fsencode(path), schema, options)
    formats = "".join(f"{i} {column.format}\n" for i, column in enumerate(columns.values()) if column.format)
    writer.set_metadata(pairs + ([("bobbin.arrow", formats.encode())] if formats else []))
    writer.append([_buffers(column) for column in columns.values()])
    writer.finish()
    return next((column.length for column in columns.values()), 0)


def _buffers(column: Buffers) -> tuple[Any, ...]:
    return column.length, column.values, column.offsets, column.validity


def _write_to_object(target: Any, write_file: Callable[[str], int]) -> int:
    """Writes a file of its own first: the format is not written from the first byte to the last."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "written.bob")
        rows = write_file(path)
        with open(path, "rb") as made:
            shutil.copyfileobj(made, target, 1 << 20)
    return rows


def _check_lengths(columns: Mapping[str, Buffers]) -> None:
    lengths = {name: column.length for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidArgumentError(f"columns of different lengths: {lengths}")


class Writer:
    """Writes a file batch by batch: `with bb.Writer(path, schema) as w: w.append(batch)`.

    `schema` is anything with `__arrow_c_schema__` (a pyarrow schema, a File, a Scan), or a dict of column types such
    as {"id": "i64", "price": "decimal(2)"}, whose columns can all be null. If the `with` block raises an
    exception, no file is written. One thread at a time may use a Writer.
    """

    def __init__(self, path: Path, schema: Any, *, codec: str | None = None,
                 column_codecs: Mapping[str, str] | None = None, goal: str = "smallest",
                 rows_per_group: int = 1 << 20, metadata: Mapping[str, str | bytes] | None = None,
                 backend: str = "cpu", threads: int = 0, overwrite: bool = False) -> None:
        options = _options(codec, column_codecs, goal, rows_per_group, backend, threads, overwrite)
        self._names: list[str] | None = None
        if hasattr(schema, "__arrow_c_schema__"):
            self._core = _core.Writer.like(os.fsencode(path), schema.__arrow_c_schema__(), options)
        else:
            self._names = list(schema)
            columns = [(name, kind, True) for name, kind in schema.items()]
            self._core = _core.Writer(os.fsencode(path), columns, options)
            self._types = dict(schema)
        self._core.set_metadata(_pairs(metadata))

    def append(self, batch: Any) -> None:
        """Appends rows: a table as write() takes it, with the columns of the schema."""
        stream = stream_of(batch)
        if stream is not None:
            self._core.append_stream(stream)
            return
        if self._names is None or not isinstance(batch, Mapping) or list(batch) != self._names:
            raise InvalidArgumentError("expected a table with the columns of the schema")
        columns = {name: as_type(name, values, self._types[name]) for name, values in batch.items()}
        _check_lengths(columns)
        self._core.append([_buffers(column) for column in columns.values()])

    def close(self) -> None:
        """Writes the remaining rows and the footer; the file gets its name."""
        self._core.finish()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is None:
            self._core.finish()
        else:
            self._core.drop()
