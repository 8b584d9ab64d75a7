# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory, for CuPy, PyTorch, JAX and others."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping

from . import _core
from .errors import InvalidArgumentError, UnsupportedError

if TYPE_CHECKING:
    from .file import Scan

_CPU, _CUDA = 1, 2  # DLPack's device types
_HAS_NULLS = "the array has nulls: use .values and .validity"


def dlpack(exported: Any, device: tuple[int, int], max_version: Any, dl_device: Any, copy: Any) -> Any:
    """A capsule of an object of the extension, if the request can be met."""
    if dl_device is not None and tuple(dl_device) != device:
        raise BufferError(f"the array is on device {device}, not {tuple(dl_device)}")
    if copy:
        raise BufferError("copies are made by the receiver")
    return exported.__dlpack__(max_version=max_version) if max_version is not None else exported.__dlpack__()


class DeviceArray:
    """Numbers in device memory, by DLPack and the CUDA array interface. They are ready when the object is made. The
    memory is freed when all arrays that were made from it are gone and the GPU has done all work that it was given by
    then."""

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
                "strides": None, "stream": None}

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


def load(scan: Scan, device: str) -> DeviceTable:
    """The columns of a scan in device memory."""
    columns, table = _core.load(scan._file, scan._full_spec(), device)
    return DeviceTable(table, {field.name: _column(*column) for field, column in zip(scan.schema, columns)})


# ---- Encoding of arrays in device memory ----

_CUDA_KINDS = (_CUDA, 13)  # memory of the GPU, and managed memory
_LEGACY_STREAM = 1


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


def encode_there(values: Any, codec: str | None, device: str) -> _core.Encoded:
    """Encodes an array in the memory of the device."""
    if isinstance(values, DeviceArray):
        values._check_nulls()
    chosen = codec or ""
    if hasattr(values, "__cuda_array_interface__"):
        kind, length, address, stream = _from_interface(values.__cuda_array_interface__)
        return _core.encode_at(address, length, kind, chosen, device, stream)
    if hasattr(values, "__dlpack__"):
        on_gpu = values.__dlpack_device__()[0] in _CUDA_KINDS
        options = {"stream": _LEGACY_STREAM} if on_gpu else {}
        try:
            kind, length, address, _kept = _core.look_at_dlpack(_capsule(values, options))
        except TypeError:
            raise InvalidArgumentError("expected an array of numbers with one dimension, in one piece") from None
        return _core.encode_at(address, length, kind, chosen, device, _LEGACY_STREAM if on_gpu else 0)
    schema, array = values.__arrow_c_device_array__()
    return _core.encode_arrow(schema, array, chosen, device)
