# SPDX-License-Identifier: Apache-2.0
"""DuckDB orders joins by the numbers of rows. Of a pyarrow Dataset it does not know it, but asks the class through which
it reads one: here that class and the dataset are one object."""
from __future__ import annotations

import functools
import sys
from typing import Any

from ._pyarrow import BobbinDataset


def counted_dataset() -> type[BobbinDataset]:
    """A dataset from which DuckDB gets its number of rows; the plain one if DuckDB is not imported, or has changed."""
    base = getattr(sys.modules.get("duckdb._sources.pyarrow"), "PyArrowDatasetSource", None)
    return _counted(base) if isinstance(base, type) else BobbinDataset


@functools.cache
def _counted(base: Any) -> type[BobbinDataset]:
    class CountedDataset(BobbinDataset, base):  # type: ignore[misc]
        """A BobbinDataset, as a source of DuckDB's."""

        def __init__(self, *arguments: Any) -> None:
            BobbinDataset.__init__(self, *arguments)
            self._declared: Any = None

        @property
        def obj(self) -> CountedDataset:
            """What DuckDB scans."""
            return self

        def rows(self) -> int | None:
            """The number of rows, if it is known."""
            return self._file.num_rows if self._where is None else None

    return CountedDataset
