# SPDX-License-Identifier: Apache-2.0
"""What scans of one file and of many have in common."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence

from ._need import need
from ._categories import restore_arrow
from .expressions import Aggregate, Col, Source, avg, count, count_distinct
from .expressions import max as max_of
from .expressions import min as min_of
from .expressions import sum as sum_of
from .partials import MAX_GROUPS, Partial, Question

if TYPE_CHECKING:
    import pandas
    import pyarrow


def count_title(column: str) -> str:
    """What counts are called in rows that have a column of any name."""
    return f"count by {column}"


class Answers:
    """Rows through pyarrow, and aggregates."""

    def reader(self) -> pyarrow.RecordBatchReader:
        """A pyarrow RecordBatchReader; memory holds a few row groups."""
        raise NotImplementedError

    def _categories(self) -> dict[str, dict[str, Any]]:
        """The categories of columns, by name."""
        raise NotImplementedError

    def _formats(self) -> dict[str, str]:
        """The types of all columns in Arrow's notation, by name."""
        raise NotImplementedError

    def _answer(self, question: Question) -> Partial:
        raise NotImplementedError

    def _grouped(self, keys: list[str], aggregates: dict[str, Aggregate], order: str, limit: int | None,
                 max_groups: int = MAX_GROUPS) -> list[dict[str, Any]]:
        question = Question(keys, aggregates, order, self._formats(), max_groups)
        return self._answer(question).rows(order=order, limit=limit)

    # ---- Rows ----

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Record batches, one or more per row group, read on demand."""
        yield from self.reader()

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a pyarrow Table."""
        pyarrow = need("pyarrow")
        reader = self.reader()
        table = pyarrow.Table.from_batches(list(reader), schema=reader.schema)
        return restore_arrow(table, self._categories())

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows as a pandas DataFrame; options are those of pyarrow's to_pandas, such as types_mapper."""
        need("pandas")
        return self.to_arrow().to_pandas(**options)

    # ---- Answers ----

    def sum(self, source: Source) -> Any:
        """The sum of a column or formula: exact for integers and decimals, None if there are no values."""
        return self._one(sum_of(source))

    def min(self, source: Source) -> Any:
        """The least value of a column or formula."""
        return self._one(min_of(source))

    def max(self, source: Source) -> Any:
        """The greatest value of a column or formula."""
        return self._one(max_of(source))

    def avg(self, source: Source) -> float | None:
        """The average of a column or formula."""
        value: float | None = self._one(avg(source))
        return value

    def count_distinct(self, column: str | Col) -> int:
        """The number of distinct values of a column."""
        value: int = self._one(count_distinct(column))
        return value

    def _one(self, wanted: Aggregate) -> Any:
        return self.aggregate(value=wanted)["value"]

    def aggregate(self, **aggregates: Aggregate) -> dict[str, Any]:
        """Several aggregates at once: `aggregate(total=bb.sum("price"), n=bb.count())`."""
        return self._grouped([], aggregates, "", None)[0]

    def group_by(self, keys: Sequence[str] | str, *, order: str = "", limit: int | None = None,
                 max_groups: int = MAX_GROUPS, **aggregates: Aggregate) -> list[dict[str, Any]]:
        """One dict per combination of the keys' values, with the keys and the aggregates.

        `order` is text in the command's syntax, "count() desc, city", in which aggregates may be called by their
        names here. More than `max_groups` combinations are an error: all of them are held in memory.
        """
        return self._grouped([keys] if isinstance(keys, str) else list(keys), aggregates, order, limit, max_groups)

    def group_counts(self, column: str, *, max_groups: int = MAX_GROUPS) -> dict[Any, int]:
        """The number of rows for each value of a column, None for nulls."""
        title = count_title(column)
        return {row[column]: row[title] for row in self._grouped([column], {title: count()}, "", None, max_groups)}

    def partial(self, keys: Sequence[str] | str = (), **aggregates: Aggregate) -> Partial:
        """Partial aggregates, to be merged with those of other scans."""
        names = [keys] if isinstance(keys, str) else list(keys)
        return self._answer(Question(names, aggregates, "", self._formats()))
