# SPDX-License-Identifier: Apache-2.0
"""Files of other formats to .bob and back, batch by batch."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

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
        return write(_open(come), go, overwrite=overwrite, **options)
    if come.endswith(_PARQUET + _ARROW):
        raise UnsupportedError(f"convert: neither {come!r} nor {go!r} is a .bob file")
    if os.path.exists(go) and not overwrite:
        raise ExistingFileError(f"{go}: the file already exists")
    return _export(come, go, options)


def _open(path: str) -> Any:
    if path.endswith(_PARQUET):
        return _open_parquet(path)
    if path.endswith(_ARROW):
        from pyarrow import dataset

        return dataset.dataset(path, format="ipc").scanner(batch_size=_BATCH_ROWS, use_threads=False).to_reader()
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


def _export(come: str, go: str, options: dict[str, Any]) -> int:
    """Writes next to the target first, so that it appears whole or not at all."""
    temporary = f"{go}.{os.getpid()}.tmp"
    try:
        with File(come) as file:
            reader = file.scan(batch_rows=_BATCH_ROWS).reader()
            with _sink(temporary, go, reader.schema, options) as sink:
                for batch in reader:
                    sink.write_batch(batch)
            rows = file.num_rows
        os.replace(temporary, go)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    return rows


def _sink(path: str, name: str, schema: Any, options: dict[str, Any]) -> Any:
    if name.endswith(_PARQUET):
        from pyarrow import parquet

        try:
            return parquet.ParquetWriter(path, schema, **{"compression": "zstd", **options})
        except TypeError as error:
            raise InvalidArgumentError(f"convert: {error}") from None
    if name.endswith(_ARROW):
        from pyarrow import ipc

        return ipc.new_file(path, schema, options=_ipc_options(ipc, options))
    raise UnsupportedError(f"convert: {name!r} is not a Parquet or Arrow file by its name")


def _ipc_options(ipc: Any, options: dict[str, Any]) -> Any:
    try:
        return ipc.IpcWriteOptions(**options)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"convert: {error}") from None
