# SPDX-License-Identifier: Apache-2.0
"""Partial aggregates: computed where rows are, merged elsewhere."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

from . import _core
from ._values import to_python
from .errors import CorruptError, InvalidArgumentError
from .expressions import Aggregate

MAX_GROUPS = 1 << 20  # that a query holds in memory, unless a call says otherwise


class Partial:
    """What some rows contribute to aggregates. Merged with what other rows contribute, and finished, it gives what
    one scan of all rows gives. Pickles as bytes.

    Nulls contribute to count() only; sum, min, max and avg are None if no part has a value. Integers and decimals are
    exact however rows are divided. Sums and averages of floats add those of the parts in the order of merging: the
    same division gives the same bits, another one may differ in the last digits. NaN makes a sum or an average NaN,
    is ignored by min and max, and is one value as a key and for count_distinct.
    """

    def __init__(self, core: _core.Partial, keys: Sequence[str], titles: Sequence[str], kinds: Sequence[str],
                 max_groups: int = MAX_GROUPS) -> None:
        self._core = core
        self._max_groups = max_groups
        self._keys = tuple(keys)
        self._titles = tuple(titles)  # of the keys and the aggregates
        self._kinds = tuple(kinds)  # their types in Arrow

    @property
    def keys(self) -> list[str]:
        """The columns that rows are grouped by."""
        return list(self._keys)

    def __len__(self) -> int:
        return self._core.num_groups

    def merge(self, other: Partial) -> Partial:
        """Adds what other rows contribute, and returns itself. Merge in the order of the rows."""
        if self._titles != other._titles or self._kinds != other._kinds:
            raise InvalidArgumentError("partial aggregates of different keys, aggregates or columns")
        self._core.merge(other._core, self._max_groups)
        return self

    def rows(self, *, order: str = "", limit: int | None = None) -> list[dict[str, Any]]:
        """One dict per group, as Scan.group_by() returns them. `order` may name keys and the aggregates."""
        found = self._core.finish(list(self._titles[len(self._keys):]), order, limit, self._max_groups)
        return [
            {title: to_python(value, kind) for title, kind, value in zip(self._titles, self._kinds, row)}
            for row in found
        ]

    def result(self) -> dict[str, Any]:
        """The aggregates, if there are no keys."""
        if self._keys:
            raise InvalidArgumentError("rows() has the groups of this partial result")
        return self.rows()[0]

    def copy(self) -> Partial:
        """A copy, which can be merged without changing this one."""
        return Partial(self._core.copy(), self._keys, self._titles, self._kinds, self._max_groups)

    def __reduce__(self) -> tuple[object, ...]:
        return _from_bytes, (self._core.to_bytes(), self._keys, self._titles, self._kinds, self._max_groups)

    def __repr__(self) -> str:
        return f"<bobbin.Partial of {', '.join(self._titles)}: {len(self)} groups>"


def _from_bytes(data: bytes, keys: Sequence[str], titles: Sequence[str], kinds: Sequence[str],
                max_groups: int = MAX_GROUPS) -> Partial:
    if not data:
        raise CorruptError("partial aggregates: the magic number is missing")
    return Partial(_core.Partial.from_bytes(memoryview(data)), keys, titles, kinds, max_groups)


def merge(parts: Iterable[Partial]) -> Partial:
    """Merges all parts, in the given order, into a new one. The parts do not change."""
    iterator = iter(parts)
    first = next(iterator, None)
    if first is None:
        raise InvalidArgumentError("there is nothing to merge")
    all_of_them = first.copy()
    for part in iterator:
        all_of_them.merge(part)
    return all_of_them


def _kind_of(one: Aggregate, types: dict[str, str]) -> str:
    """The type of an aggregate's values, if it is that of a column."""
    return types.get(one.column, "") if one.kind in ("min", "max", "sum", "avg") else ""


class Question:
    """Keys and aggregates of a table, and the order of the answer, which may need other aggregates."""

    def __init__(self, keys: Sequence[str], aggregates: dict[str, Aggregate], order: str,
                 types: dict[str, str], max_groups: int = MAX_GROUPS) -> None:
        self.keys = list(keys)
        self.max_groups = max_groups
        for title in aggregates:
            if title in self.keys:
                raise InvalidArgumentError(f"an aggregate cannot be named as the key {title!r}")
        self.order = order
        self.wanted = [(one.kind, one.of()) for one in aggregates.values()]
        self.names = list(aggregates)
        self.titles = self.keys + self.names
        self.kinds = [types.get(key, "") for key in self.keys] + [_kind_of(one, types) for one in aggregates.values()]

    def of(self, file: _core.File, spec: _core.Spec, beat: Callable[[], None] | None = None) -> Partial:
        """What the rows of a scan contribute. beat() is called every 0.1 s; if it raises, the work ends."""
        made = _core.partial(file, spec, self.keys, self.wanted, self.names, self.order, self.max_groups, beat)
        return Partial(made, self.keys, self.titles, self.kinds, self.max_groups)
