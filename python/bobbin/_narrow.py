# SPDX-License-Identifier: Apache-2.0
"""Some row groups of a file, which engines scan as they would a file."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence

from .expressions import Expr, to_node

if TYPE_CHECKING:
    import pyarrow

    from .file import Field, File, Scan, Where


class NarrowFile:
    """Row groups of a file, with a filter of their own."""

    def __init__(self, file: File, row_groups: Sequence[int], where: Where = None) -> None:
        self._file = file
        self._groups = tuple(row_groups)
        self._where = to_node(where)

    @property
    def schema(self) -> list[Field]:
        """The columns."""
        return self._file.schema

    @property
    def num_rows(self) -> int:
        """The number of rows that pass the filter."""
        return self.scan(()).count()

    def scan(self, columns: Sequence[str] | str | None = None, where: Where = None, **options: Any) -> Scan:
        """Rows that pass both filters."""
        nodes = tuple(node for node in (self._where, to_node(where)) if node is not None)
        both = None if not nodes else Expr(nodes[0] if len(nodes) == 1 else ("and", nodes))
        return self._file.scan(columns, both, row_groups=self._groups, **options)

    def take(self, indices: Any, columns: Sequence[str] | str | None = None) -> pyarrow.Table:
        """Rows by number, counted among those that pass the filter."""
        return self.scan(columns).to_arrow().take(indices)

    def parts(self, where: Where = None) -> Iterator[NarrowFile]:
        """The row groups that zone maps do not rule out."""
        for group in self.scan(where=where).candidates():
            yield NarrowFile(self._file, (group,), None if self._where is None else Expr(self._where))

    def __arrow_c_schema__(self) -> object:
        return self._file.__arrow_c_schema__()

    def __reduce__(self) -> tuple[object, ...]:
        return NarrowFile, (self._file, self._groups, None if self._where is None else Expr(self._where))

    def __repr__(self) -> str:
        return f"<{len(self._groups)} row groups of {self._file!r}>"
