# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory, for CuPy, PyTorch, JAX and others."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from . import _core

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


def load(scan: Scan, device: str) -> Mapping[str, DeviceArray]:
    """The columns of a scan in device memory."""
    made = {}
    for field, (kind, values, validity) in zip(scan.schema, _core.load(scan._file, scan._full_spec(), device)):
        bits = None if validity is None else DeviceArray(validity, "u32")
        made[field.name] = DeviceArray(values, kind, bits)
    return made
