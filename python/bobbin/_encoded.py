# SPDX-License-Identifier: Apache-2.0
"""What encoded arrays and batches have in common."""
from __future__ import annotations

from typing import Generic, TypeVar

from . import _core

Core = TypeVar("Core", _core.Encoded, _core.Batch)


class Encoded(Generic[Core]):
    def __init__(self, core: Core) -> None:
        self._core: Core = core

    @property
    def type(self) -> str:
        """The type of the values, such as "i64"."""
        return self._core.type

    @property
    def nbytes(self) -> int:
        """The size of what is encoded."""
        return self._core.nbytes

    def __bytes__(self) -> bytes:
        return self._core.to_bytes()
