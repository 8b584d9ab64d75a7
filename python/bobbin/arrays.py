# SPDX-License-Identifier: Apache-2.0
"""Arrays of numbers, encoded in memory."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._columns import _FORMATS, from_any
from .errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy


class EncodedArray:
    """Numbers as a .bob file would store them, without the file. Does not change; threads may share one."""

    def __init__(self, core: _core.Encoded) -> None:
        self._core = core

    @property
    def type(self) -> str:
        """The type of the values, such as "i64"."""
        return self._core.type

    @property
    def nbytes(self) -> int:
        """The size of the encoded array."""
        return self._core.nbytes

    @property
    def encoding(self) -> str:
        """The cascade of codecs, such as "dict(bitpack, delta)"."""
        return self._core.encoding

    def __len__(self) -> int:
        return self._core.length

    def decode(self, out: Any = None) -> Any:
        """All values as a memoryview of their type; or into `out`, a buffer of the same size, which is returned."""
        if out is None:
            plain: Any = memoryview(self._core.decode())
            return plain.cast(_FORMATS[self.type])
        view = memoryview(out)
        if not view.c_contiguous or view.readonly:
            raise InvalidArgumentError("out= must be a writable buffer in one piece")
        if view.nbytes:
            self._core.decode_into(view.cast("B"))
        elif len(self):
            raise InvalidArgumentError("out= has another size than the values")
        return out

    def to_numpy(self) -> numpy.ndarray[Any, Any]:
        """All values as a numpy array."""
        import numpy

        return numpy.asarray(self.decode())

    def __repr__(self) -> str:
        return f"<bobbin.EncodedArray of {len(self)} {self.type}: {self.encoding}, {self.nbytes} bytes>"


def encode(values: Any, codec: str | None = None) -> EncodedArray:
    """Encodes a numpy array, buffer or list of numbers, by a cascade such as "dict(bitpack, delta)" or by the
    smallest that is found."""
    column = from_any("values", values)
    if column.validity is not None:
        raise InvalidArgumentError("arrays with nulls cannot be encoded")
    return EncodedArray(_core.encode(column.values, column.type, codec))


def codecs() -> list[str]:
    """The names of all codecs."""
    return _core.codecs()


def devices() -> list[dict[str, Any]]:
    """The GPUs that this process can use; empty if there are none."""
    return _core.devices()
