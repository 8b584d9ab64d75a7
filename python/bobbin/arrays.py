# SPDX-License-Identifier: Apache-2.0
"""Arrays of numbers, encoded in memory."""
from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Callable, Sequence, overload

from . import _core
from ._columns import FORMATS, from_any
from ._encoded import Encoded
from ._need import need
from .errors import CorruptError, InvalidArgumentError

if TYPE_CHECKING:
    import numpy

    from ._device import DeviceArray, Memory

_OPERATORS = ("==", "!=", "<", "<=", ">", ">=")


def decode_plain(core: _core.Encoded | _core.Batch, out: Any, stream: Any, length: int, decode: Callable[[], Any],
                 decode_into: Callable[[memoryview], None]) -> Any:
    """Decodes to a new memoryview or into `out`; in host memory by the given functions."""
    if out is not None or stream is not None:
        from ._device import decode_to

        if decode_to(core, out, stream):
            return out
    if out is None:
        plain: Any = memoryview(decode())
        return plain.cast(FORMATS[core.type])
    view = memoryview(out)
    if not view.c_contiguous or view.readonly:
        raise InvalidArgumentError("out= must be a writable buffer in one piece")
    if view.nbytes:
        decode_into(view.cast("B"))
    elif length:
        raise InvalidArgumentError("out= has another size than the values")
    return out


class EncodedArray(Encoded[_core.Encoded]):
    """Numbers as a .bob file would store them, without the file. Does not change; threads may share one."""

    @property
    def encoding(self) -> str:
        """The cascade of codecs, such as "dict(bitpack, delta)"."""
        return self._core.encoding

    def __len__(self) -> int:
        return self._core.length

    @property
    def tree(self) -> dict[str, Any]:
        """The cascade as nested dicts: `codec`, and `children`, a list of the same."""
        return self._core.tree

    def decode(self, out: Any = None, stream: Any = None) -> Any:
        """All values as a memoryview of their type; or into `out`, which is returned: a buffer of the same size, or an
        array in device memory (a DeviceArray or anything with __cuda_array_interface__).

        In device memory the values are ready when the call returns. With a CUDA stream, the call only submits the
        work to that stream and does not wait for it."""
        return decode_plain(self._core, out, stream, len(self), self._core.decode, self._core.decode_into)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> EncodedArray: ...

    def __getitem__(self, index: int | slice) -> Any:
        """One value, or a slice that stays encoded and shares the memory. Nothing else is decoded."""
        if not isinstance(index, slice):
            return self._core.value_at(index)
        begin, end, step = index.indices(len(self))
        if step != 1:
            raise InvalidArgumentError("slices of encoded arrays have step 1")
        return EncodedArray(self._core.slice(begin, max(0, end - begin)))

    def take(self, indices: Sequence[int]) -> Any:
        """Values by index, in any order, as a memoryview of their type."""
        plain: Any = memoryview(self._core.take([int(index) for index in indices]))
        return plain.cast(FORMATS[self.type])

    def compare(self, op: str, constant: int | float) -> memoryview:
        """Which values pass: a memoryview of booleans. Encoded data is compared where its codec can."""
        if op not in _OPERATORS:
            raise InvalidArgumentError(f"unknown operator {op!r}")
        try:
            packed = struct.pack("<" + FORMATS[self.type], constant)
        except (struct.error, OverflowError):
            message = f"cannot compare {self.type} with {constant!r}: it must be a value of that type"
            raise InvalidArgumentError(message) from None
        flags: Any = memoryview(self._core.compare(_OPERATORS.index(op), packed))
        return flags.cast("?")  # type: ignore[no-any-return]

    def __eq__(self, other: Any) -> memoryview:  # type: ignore[override]
        return self.compare("==", other)

    def __ne__(self, other: Any) -> memoryview:  # type: ignore[override]
        return self.compare("!=", other)

    def __lt__(self, other: int | float) -> memoryview:
        return self.compare("<", other)

    def __le__(self, other: int | float) -> memoryview:
        return self.compare("<=", other)

    def __gt__(self, other: int | float) -> memoryview:
        return self.compare(">", other)

    def __ge__(self, other: int | float) -> memoryview:
        return self.compare(">=", other)

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def from_bytes(data: bytes | bytearray | memoryview, max_length: int = 1 << 28) -> EncodedArray:
        """The array that bytes() was called on. The bytes are checked first: they may come from anywhere. As a few
        bytes may encode very many values, arrays of more than `max_length` are refused."""
        view = memoryview(data)
        if not view.nbytes:
            raise CorruptError("encoded array: the magic number is missing")
        return EncodedArray(_core.Encoded.from_bytes(view.cast("B"), max_length))

    def __reduce__(self) -> tuple[object, ...]:
        return EncodedArray.from_bytes, (bytes(self), max(len(self), 1 << 28))

    def to_numpy(self) -> numpy.ndarray[Any, Any]:
        """All values as a numpy array."""
        values: numpy.ndarray[Any, Any] = need("numpy").asarray(self.decode())
        return values

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        """All values, decoded for the receiver, whose memory they become: `torch.from_dlpack(array)`."""
        from ._device import dlpack

        if copy is False:
            raise BufferError("decoding makes a copy")
        return dlpack(_core.decoded(self._core), self.__dlpack_device__(), max_version, dl_device, None)

    def to_device(self, device: str = "cuda", *, stream: Any = None, memory: Memory | None = None) -> DeviceArray:
        """All values, decoded in the memory of the GPU ("cuda"), or of the emulator that tests use.

        `stream` is a CUDA stream: a number, or a stream object of CuPy, of PyTorch or with __cuda_stream__, which the
        array keeps alive. The call then returns before decoding is done, and receivers of the array wait for it.
        `memory` is a function that takes a number of bytes and a stream's number and returns device memory: an object
        with `.ptr` or __cuda_array_interface__, which is released when the array is gone."""
        from ._device import decode_on

        return decode_on(self._core, device, stream, memory)

    def __repr__(self) -> str:
        return f"<bobbin.EncodedArray of {len(self)} {self.type}: {self.encoding}, {self.nbytes} bytes>"


def encode(values: Any, codec: str | None = None, *, device: str | None = None, stream: Any = None) -> EncodedArray:
    """Encodes a numpy array, buffer, list of numbers or anything with __dlpack__, with a cascade such as
    "dict(bitpack, delta)" or with the smallest cascade that is found.

    An array in the memory of a GPU, with __dlpack__, __cuda_array_interface__ or __arrow_c_device_array__, is encoded
    there, and only the encoded array is copied to the host. `codec` is then one codec, such as "ffor", or the smallest
    of those that the GPU encodes by itself. It works in `stream`, a CUDA stream, or in one of its own; in both cases it
    waits for what makes the values. `device="emulator"` does the same with arrays of the host, for tests."""
    from ._device import encode_there, is_on_gpu

    is_arrow = hasattr(values, "__arrow_c_device_array__") and not hasattr(values, "__dlpack__")
    if device is not None or is_arrow or is_on_gpu(values):
        return EncodedArray(encode_there(values, codec, device or "cuda", stream))
    if stream is not None:
        raise InvalidArgumentError("stream= is for arrays in device memory")
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
