# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory, for CuPy, PyTorch, JAX and others."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

from . import _core
from .errors import InvalidArgumentError, UnsupportedError

if TYPE_CHECKING:
    from .file import Scan

    Memory = Callable[[int, int], Any]

_CPU, _CUDA = 1, 2  # DLPack's device types
_HAS_NULLS = "the array has nulls: use .values and .validity"


_ALIGNMENT = 256  # what Bobbin expects of device memory
_LEGACY_STREAM = 1

# ---- Streams and memory of the caller ----


def stream_number(stream: Any) -> int | None:
    """The number of a CUDA stream: of an object with __cuda_stream__, of PyTorch or CuPy, or the number itself, where 1
    and 2 are the legacy and the per-thread default stream."""
    if stream is None:
        return None
    if isinstance(stream, int):
        if stream <= 0:
            raise InvalidArgumentError(f"stream {stream} is ambiguous: use 1, the legacy default stream, or 2")
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        number = (protocol() if callable(protocol) else protocol)[1]
    else:
        number = getattr(stream, "cuda_stream", getattr(stream, "ptr", None))
    if not isinstance(number, int):
        raise InvalidArgumentError(f"expected a CUDA stream, found {type(stream).__name__}")
    return number or _LEGACY_STREAM  # CuPy and PyTorch call it 0


def _address(made: Any, size: int) -> int:
    """Where an object of the caller's allocator has its memory."""
    interface = getattr(made, "__cuda_array_interface__", None)
    address = getattr(made, "ptr", None) if interface is None else interface["data"][0]
    if not isinstance(address, int):
        raise InvalidArgumentError(
            f"memory= returned {type(made).__name__}, which has neither .ptr nor __cuda_array_interface__")
    if interface is not None and _size(interface) < size:
        raise InvalidArgumentError(f"memory= returned {_size(interface)} bytes instead of {size}")
    if address == 0 or address % _ALIGNMENT:
        raise InvalidArgumentError(f"memory= must return addresses that are multiples of {_ALIGNMENT}")
    return address


def allocator(memory: Memory | None) -> Callable[[int, int], tuple[int, Any]] | None:
    """A function for the extension that returns an address and what owns the memory."""
    if memory is None:
        return None
    if not callable(memory):
        raise InvalidArgumentError("memory= must be a function of a number of bytes and a stream")
    function = memory

    def allocate(size: int, stream: int) -> tuple[int, Any]:
        made = function(size, stream)
        return _address(made, size), made

    return allocate


def _size(interface: Mapping[str, Any]) -> int:
    """The bytes of an array with the CUDA array interface, which is in one piece."""
    size = int(interface["typestr"][2:])
    strides = interface.get("strides")
    for place in range(len(interface["shape"]) - 1, -1, -1):
        length = interface["shape"][place]
        if strides is not None and length > 1 and strides[place] != size:
            raise InvalidArgumentError("expected an array in one piece")
        size *= length
    return size


def decode_on(encoded: _core.Encoded | _core.Batch, device: str, stream: Any, memory: Memory | None) -> DeviceArray:
    """The values of an array or a batch in device memory."""
    made = _core.decode_on(encoded, device, stream_number(stream), stream, allocator(memory))
    return DeviceArray(made, encoded.type)


def decode_to(encoded: _core.Encoded | _core.Batch, out: Any, stream: Any) -> bool:
    """Decodes into `out` if that is an array in device memory."""
    number = stream_number(stream)
    if isinstance(out, DeviceArray):
        core = out._core
        size = core.length * int(core.type[1:]) // 8
        _core.decode_at(encoded, core.address, size, core.backend, number, core.stream or 0)
        return True
    interface = getattr(out, "__cuda_array_interface__", None)
    if interface is not None:
        address, is_readonly = interface["data"]
        if is_readonly:
            raise InvalidArgumentError("out= is read-only")
        producer = interface.get("stream") or 0
        if hasattr(out, "__dlpack__"):  # PyTorch's interface does not say which stream uses the array
            producer = number or _LEGACY_STREAM
            _capsule(out, {"stream": producer})
        _core.decode_at(encoded, address or 0, _size(interface), "cuda", number, producer)
        return True
    if stream is not None:
        raise InvalidArgumentError("stream= is for device memory: give an array there as out=, or use to_device()")
    return False


# ---- Arrays for others ----


def dlpack(exported: Any, device: tuple[int, int], max_version: Any, dl_device: Any, copy: Any) -> Any:
    """A capsule of an object of the extension, if the request can be met."""
    if dl_device is not None and tuple(dl_device) != device:
        raise BufferError(f"the array is on device {device}, not {tuple(dl_device)}")
    if copy:
        raise BufferError("copies are made by the receiver")
    return exported.__dlpack__(max_version=max_version) if max_version is not None else exported.__dlpack__()


class DeviceArray:
    """Numbers in device memory, with DLPack and the CUDA array interface. The values are ready when the object is
    returned, unless the caller gave a stream: then the streams of receivers wait for that one. The memory is freed
    when all arrays that share it are gone and the GPU has finished all work submitted by then."""

    def __init__(self, core: _core.DeviceArray, kind: str, validity: DeviceArray | None = None) -> None:
        self._core = core
        self._kind = kind
        self._validity = validity

    @property
    def type(self) -> str:
        """The type in Bobbin's notation, such as "i64" or "timestamp[us]"."""
        return self._kind

    @property
    def validity(self) -> DeviceArray | None:
        """Words of 32 bits: bit i % 32 of word i / 32 is 0 if value i is null. None if there are no nulls."""
        return self._validity

    @property
    def values(self) -> DeviceArray:
        """The values alone; those of nulls are undefined."""
        return DeviceArray(self._core, self._kind)

    def __len__(self) -> int:
        return self._core.length

    def _check_nulls(self) -> None:
        if self._validity is not None:
            raise BufferError(_HAS_NULLS)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._core.device, self._core.device_number

    def __dlpack__(self, *, stream: int | None = None, max_version: Any = None, dl_device: Any = None,
                   copy: Any = None) -> Any:
        self._check_nulls()
        return dlpack(self._core.exported(stream), self.__dlpack_device__(), max_version, dl_device, copy)

    def __getattr__(self, name: str) -> Any:
        # Others look for it with hasattr(): memory of the host must not have it, nor an array with nulls.
        if name != "__cuda_array_interface__" or self._core.device != _CUDA:
            raise AttributeError(name)
        if self._validity is not None:
            raise AttributeError(f"{name}: {_HAS_NULLS}")
        code = {"u": "u", "i": "i", "f": "f"}[self._core.type[0]]
        size = int(self._core.type[1:]) // 8
        return {"shape": (len(self),), "typestr": f"<{code}{size}", "data": (self._core.address, False), "version": 3,
                "strides": None, "stream": self._core.stream}

    def __repr__(self) -> str:
        place = "GPU" if self._core.device == _CUDA else "emulator"
        return f"<bobbin.DeviceArray of {len(self)} {self.type}, {place}>"


class DeviceStrings:
    """Strings of one row group in device memory, in the layout of Arrow: string i has bytes offsets[i] to
    offsets[i + 1] of `bytes`."""

    def __init__(self, kind: str, offsets: DeviceArray, data: DeviceArray, validity: DeviceArray | None) -> None:
        self.type = kind
        self.offsets = offsets
        self.bytes = data
        self.validity = validity

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<bobbin.DeviceStrings: {len(self)} {self.type}>"


class DeviceTable(Mapping[str, Any]):
    """Columns in device memory by name: DeviceArray, or DeviceStrings. As a whole a table of Arrow's device interface,
    which cuDF and pyarrow read: nulls and types are kept, and numbers are not copied."""

    def __init__(self, core: _core.DeviceTable, columns: dict[str, Any]) -> None:
        self._core = core
        self._columns = columns

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __arrow_c_schema__(self) -> object:
        return self._core.schema()

    def __arrow_c_device_array__(self, requested_schema: object = None, **options: Any) -> tuple[object, object]:
        unknown = [name for name, value in options.items() if value is not None]
        if unknown:
            raise NotImplementedError(f"__arrow_c_device_array__ has no option {unknown[0]!r}")
        return self._core.exported(requested_schema)

    def __repr__(self) -> str:
        return f"<bobbin.DeviceTable: {', '.join(self._columns)}>"


def _column(kind: str, values: Any, validity: Any) -> Any:
    bits = None if validity is None else DeviceArray(validity, "u32")
    if kind not in ("utf8", "binary"):
        return DeviceArray(values, kind, bits)
    if values is None:
        return None
    offsets, data = values
    return DeviceStrings(kind, DeviceArray(offsets, offsets.type), DeviceArray(data, "u8"), bits)


def load(scan: Scan, device: str, stream: Any, memory: Memory | None) -> DeviceTable:
    """The columns of a scan in device memory."""
    columns, table = _core.load(scan._file, scan._full_spec(), device, stream_number(stream), stream, allocator(memory))
    return DeviceTable(table, {field.name: _column(*column) for field, column in zip(scan.schema, columns)})


# ---- Encoding of arrays in device memory ----

_CUDA_KINDS = (_CUDA, 13)  # memory of the GPU, and managed memory


def _from_interface(interface: Mapping[str, Any]) -> tuple[str, int, int, int]:
    """Type, length, address, and the stream to wait for, of the CUDA array interface."""
    kind = interface["typestr"]
    if kind[0] not in "<|" or kind[1] not in "iuf" or int(kind[2:]) > 8:
        raise UnsupportedError(f"arrays of {kind!r} cannot be encoded")
    name = f"{kind[1]}{8 * int(kind[2:])}"
    strides = interface.get("strides")
    shape = interface["shape"]
    if len(shape) != 1 or (strides is not None and shape[0] > 1 and strides[0] != int(kind[2:])):
        raise InvalidArgumentError("expected an array with one dimension, in one piece")
    if interface.get("mask") is not None:
        raise InvalidArgumentError("arrays with nulls cannot be encoded")
    return name, shape[0], interface["data"][0] or 0, interface.get("stream") or 0


def _capsule(values: Any, options: dict[str, int]) -> Any:
    """A DLPack capsule, versioned if the library knows versions."""
    try:
        return values.__dlpack__(max_version=(1, 0), **options)
    except TypeError:
        return values.__dlpack__(**options)


def is_on_gpu(values: Any) -> bool:
    """Whether an array of another library, or of this one, is in the memory of a GPU."""
    if hasattr(values, "__cuda_array_interface__"):
        return True
    place = getattr(values, "__dlpack_device__", None)
    return place is not None and place()[0] in _CUDA_KINDS


def encode_there(values: Any, codec: str | None, device: str, stream: Any) -> _core.Encoded:
    """Encodes an array in the memory of the device."""
    order = stream_number(stream)
    if isinstance(values, DeviceArray):
        values._check_nulls()
    chosen = codec or ""
    if hasattr(values, "__dlpack__"):  # also says which stream waits for the values, unlike PyTorch's other interface
        on_gpu = values.__dlpack_device__()[0] in _CUDA_KINDS
        receiver = order or _LEGACY_STREAM  # waits for the values
        options = {"stream": receiver} if on_gpu else {}
        try:
            kind, length, address, _kept = _core.look_at_dlpack(_capsule(values, options))
        except TypeError:
            raise InvalidArgumentError("expected an array of numbers with one dimension, in one piece") from None
        return _core.encode_at(address, length, kind, chosen, device, receiver if on_gpu else 0, order)
    if hasattr(values, "__cuda_array_interface__"):
        kind, length, address, producer = _from_interface(values.__cuda_array_interface__)
        return _core.encode_at(address, length, kind, chosen, device, producer, order)
    schema, array = values.__arrow_c_device_array__()
    return _core.encode_arrow(schema, array, chosen, device, order)
