# SPDX-License-Identifier: Apache-2.0
"""Many arrays, encoded: one object, one allocation, one call."""
from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from . import _core
from ._columns import FORMATS, from_any
from ._encoded import Encoded
from .arrays import EncodedArray, decode_plain
from .errors import CorruptError, InvalidArgumentError

if TYPE_CHECKING:
    from ._device import DeviceArray, Memory


class EncodedBatch(Encoded[_core.Batch]):
    """Arrays of one type, encoded together. Does not change; threads may share one."""

    @property
    def offsets(self) -> memoryview:
        """Array i has values offsets[i] to before offsets[i + 1]; 64-bit integers, one more than there are arrays."""
        return memoryview(self._core.offsets).cast("Q")

    def __len__(self) -> int:
        return self._core.size

    def __getitem__(self, index: int) -> EncodedArray:
        """One array, which shares the memory."""
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"there is no array {index}: the batch has {len(self)}")
        return EncodedArray(self._core.array(place))

    def __iter__(self) -> Iterator[EncodedArray]:
        return (self[index] for index in range(len(self)))

    def to_device(self, device: str = "cuda", *, stream: Any = None, memory: Memory | None = None) -> DeviceArray:
        """All values of all arrays, decoded in the memory of the GPU ("cuda"), or of the emulator that tests use, most
        of them by one launch. An array's values must begin at a multiple of 16 bytes there. `stream` and `memory` are
        those of EncodedArray.to_device()."""
        from ._device import decode_on

        return decode_on(self._core, device, stream, memory)

    @staticmethod
    def from_bytes(data: bytes | bytearray | memoryview, max_length: int = 1 << 28) -> EncodedBatch:
        """The batch that bytes() was called on. The bytes are checked first: they may come from anywhere. Batches of
        more than `max_length` values are refused."""
        view = memoryview(data)
        if not view.nbytes:
            raise CorruptError("encoded batch: the magic number is missing")
        return EncodedBatch(_core.Batch.from_bytes(view.cast("B"), max_length))

    def __reduce__(self) -> tuple[object, ...]:
        return EncodedBatch.from_bytes, (bytes(self), max(self.offsets[-1], 1 << 28))

    def __repr__(self) -> str:
        return f"<bobbin.EncodedBatch of {len(self)} arrays of {self.type}, {self.nbytes} bytes>"


def encode_batch(values: Any, offsets: Sequence[int] | None = None, *, codec: str | None = None,
                 threads: int = 0) -> EncodedBatch:
    """Encodes many arrays: `values` in one piece with `offsets` (the first is 0, the last the number of values), or a
    list of arrays of one type. Each array is encoded with the given cascade, or with the smallest one found for it."""
    if offsets is None:
        values, offsets = _joined(values)
    column = from_any("values", values)
    if column.validity is not None:
        raise InvalidArgumentError("arrays with nulls cannot be encoded")
    try:
        places = array("Q", [int(offset) for offset in offsets])
    except OverflowError:
        raise InvalidArgumentError("an offset is negative") from None
    return EncodedBatch(_core.encode_batch(column.values, column.type, memoryview(places).cast("B"), codec, threads))


def _joined(arrays: Any) -> tuple[Any, list[int]]:
    """Arrays one after another, and where each begins."""
    columns = [from_any(f"array {i}", one) for i, one in enumerate(arrays)]
    kinds = sorted({column.type for column in columns})
    if len(kinds) != 1 or kinds[0] not in FORMATS or any(column.validity is not None for column in columns):
        raise InvalidArgumentError(f"expected arrays of numbers of one type without nulls, found {', '.join(kinds)}")
    offsets = [0]
    for column in columns:
        offsets.append(offsets[-1] + column.length)
    joined: Any = memoryview(b"".join(bytes(column.values) for column in columns))
    return joined.cast(FORMATS[kinds[0]]) if joined.nbytes else array(FORMATS[kinds[0]]), offsets


def decode_batch(batch: EncodedBatch, out: Any = None, *, threads: int = 0, stream: Any = None) -> Any:
    """All values of all arrays, one array after another, as a memoryview of their type; or into `out`, which is
    returned: a buffer of the same size, or an array in device memory, as EncodedArray.decode() takes it."""
    core = batch._core
    return decode_plain(core, out, stream, batch.offsets[-1], lambda: core.decode(threads),
                        lambda view: core.decode_into(view, threads))
