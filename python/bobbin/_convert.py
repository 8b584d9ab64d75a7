# SPDX-License-Identifier: Apache-2.0
"""Files of other formats to .bob and back, batch by batch."""
from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._need import need
from .errors import ExistingFileError, InvalidArgumentError, UnavailableError, UnsupportedError
from .file import File
from .writer import write

if TYPE_CHECKING:
    Path = Union[str, os.PathLike[str]]

_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_BATCH_ROWS = 1 << 17


def convert(source: Path, target: Path, *, overwrite: bool = False, **options: Any) -> int:
    """Converts between .bob and Parquet or Arrow IPC files, by their names; returns the number of rows.

    Options are those of write() when the target is a .bob file, those of pyarrow's ParquetWriter when it is a Parquet
    file, and those of pyarrow's IpcWriteOptions, such as compression, when it is an Arrow file. Memory holds a few
    batches. Needs pyarrow; DuckDB is enough to read Parquet.
    """
    come, go = os.fspath(source), os.fspath(target)
    if not go.endswith(_PARQUET + _ARROW):
        return write(_open(come), go, overwrite=overwrite, source=come, **options)
    if come.endswith(_PARQUET + _ARROW):
        raise UnsupportedError(f"convert: neither {come!r} nor {go!r} is a .bob file")
    if os.path.exists(go) and not overwrite:
        raise ExistingFileError(f"{go}: the file already exists")
    return _export(come, go, overwrite, options)


def _open(path: str) -> Any:
    if path.endswith(_PARQUET):
        return _open_parquet(path)
    if path.endswith(_ARROW):
        return need("pyarrow.dataset").dataset(path, format="ipc").scanner(batch_size=_BATCH_ROWS, use_threads=False).to_reader()
    raise UnsupportedError(f"convert: {path!r} is not a Parquet or Arrow file by its name")


def _open_parquet(path: str) -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return _open_with_duckdb(path)
    source = parquet.ParquetFile(path)
    batches = source.iter_batches(batch_size=_BATCH_ROWS)
    return pyarrow.RecordBatchReader.from_batches(source.schema_arrow, batches)


def _open_with_duckdb(path: str) -> Any:
    try:
        import duckdb
    except ImportError:
        raise UnavailableError("reading Parquet needs pyarrow or duckdb: pip install pyarrow") from None
    return duckdb.read_parquet(path)


class _Output(io.RawIOBase):
    """What pyarrow writes to: a file that appears whole or not at all, and that only readers of the source may read."""

    def __init__(self, target: str, overwrite: bool, source: str) -> None:
        self._core = _core.Output(os.fsencode(target), overwrite, os.fsencode(source))

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        content = bytes(data)
        self._core.write(content)
        return len(content)

    def tell(self) -> int:
        return self._core.position

    def commit(self) -> None:
        self._core.commit()

    def drop(self) -> None:
        self._core.drop()


def _export(come: str, go: str, overwrite: bool, options: dict[str, Any]) -> int:
    with File(come) as file:
        output = _Output(go, overwrite, come)
        try:
            reader = file.scan(batch_rows=_BATCH_ROWS).reader()
            with _sink(output, go, reader.schema, options) as sink:
                for batch in reader:
                    sink.write_batch(batch)
            output.commit()
        finally:
            output.drop()
        return file.num_rows


def _sink(output: _Output, name: str, schema: Any, options: dict[str, Any]) -> Any:
    if name.endswith(_PARQUET):
        parquet = need("pyarrow.parquet")
        try:
            return parquet.ParquetWriter(output, schema, **{"compression": "zstd", **options})
        except TypeError as error:
            raise InvalidArgumentError(f"convert: {error}") from None
    if name.endswith(_ARROW):
        ipc = need("pyarrow.ipc")
        return ipc.new_file(output, schema, options=_ipc_options(ipc, options))
    raise UnsupportedError(f"convert: {name!r} is not a Parquet or Arrow file by its name")


def _ipc_options(ipc: Any, options: dict[str, Any]) -> Any:
    try:
        return ipc.IpcWriteOptions(**options)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"convert: {error}") from None
