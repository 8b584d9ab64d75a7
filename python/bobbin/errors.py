# SPDX-License-Identifier: Apache-2.0
"""Exceptions. Each is also the builtin exception that people catch for such an error."""
from __future__ import annotations

import errno
import operator
import os
from typing import Any


class BobbinError(Exception):
    """Any error of Bobbin. `code` is one of the library's status codes, such as "corrupt"."""

    code = "error"


class InvalidArgumentError(BobbinError, ValueError):
    """The call or its arguments are invalid."""

    code = "invalid_argument"


class CorruptError(BobbinError, ValueError):
    """The bytes violate the format."""

    code = "corrupt"


class UnsupportedError(BobbinError, NotImplementedError):
    """Well-formed, but this build or version cannot do it."""

    code = "unsupported"


class UnavailableError(BobbinError, RuntimeError):
    """No GPU, no driver, or no CUDA in this build."""

    code = "unavailable"


class DeviceError(BobbinError, RuntimeError):
    """A CUDA call or a kernel failed."""

    code = "device"


class OutOfMemoryError(BobbinError, MemoryError):
    """Not enough memory."""

    code = "out_of_memory"


class FileError(BobbinError, OSError):
    """A file cannot be opened, read or written. `errno` is set where the reason is known."""

    code = "io"

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.errno = number

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.errno)


class MissingFileError(FileError, FileNotFoundError):
    """The file does not exist."""


class ExistingFileError(FileError, FileExistsError):
    """The file exists, and `overwrite` was not given."""


class DeniedError(FileError, PermissionError):
    """The file may not be read or written."""


class ChangedFileError(FileError):
    """The file has changed since its checksum was recorded."""


class DirectoryError(FileError, IsADirectoryError):
    """The path is a directory."""


def whole_number(name: str, value: Any, least: int = 0) -> int:
    """An argument that is a whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name}= takes a whole number, found {value!r}") from None
    if number < least:
        raise InvalidArgumentError(f"{name}= is {number}, but must be at least {least}")
    return number


_BY_CODE: dict[str, type[BobbinError]] = {
    kind.code: kind
    for kind in (InvalidArgumentError, CorruptError, UnsupportedError, UnavailableError, DeviceError, OutOfMemoryError)
}
_BY_ERRNO: dict[int, type[FileError]] = {
    errno.ENOENT: MissingFileError,
    errno.EEXIST: ExistingFileError,
    errno.EACCES: DeniedError,
    errno.EPERM: DeniedError,
    errno.EISDIR: DirectoryError,
    errno.ENOSPC: FileError,
    errno.ENOTDIR: FileError,
    errno.EBADF: FileError,
    errno.EPIPE: FileError,
}


def from_status(code: str, message: str) -> BobbinError:
    """The exception for an error of the library. Its message says which system error it was."""
    kind = _BY_CODE.get(code.removesuffix(" error").replace(" ", "_"))
    if kind is not None:
        return kind(message)
    if message.endswith("the file already exists"):
        return ExistingFileError(message, errno.EEXIST)
    for number, file_error in _BY_ERRNO.items():
        if message.endswith(os.strerror(number)):
            return file_error(message, number)
    return FileError(message)
