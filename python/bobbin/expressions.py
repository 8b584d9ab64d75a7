# SPDX-License-Identifier: Apache-2.0
"""Filters and aggregates: `(bb.col("a") < 10) & bb.col("s").startswith("x")`, `bb.sum("price")`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence, Union

from .errors import InvalidArgumentError

if TYPE_CHECKING:
    import datetime
    import decimal

    Literal = Union[bool, int, float, str, bytes, decimal.Decimal, datetime.date, datetime.time]

_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _literal(value: Any) -> Any:
    """A constant in the form that the extension takes."""
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    if hasattr(value, "dtype") and hasattr(value, "item"):
        if str(value.dtype).startswith("datetime64"):
            return str(value).replace("T", " ")
        return _literal(value.item())
    if hasattr(value, "isoformat"):
        return _moment(value)
    if hasattr(value, "as_tuple"):
        return _digits(value)
    raise InvalidArgumentError(f"cannot compare a column with {value!r}")


def _digits(value: Any) -> Any:
    """A decimal with all its digits. What has none is a NaN, or not a constant that the extension takes."""
    if value.is_qnan():
        return float("nan")
    if not value.is_finite():
        raise InvalidArgumentError(f"cannot compare a column with {value!r}")
    return ("digits", format(value, "f"))


def _moment(value: Any) -> str:
    """Dates and times as text; those with a time zone in UTC, as columns keep them."""
    if getattr(value, "tzinfo", None) is not None and hasattr(value, "astimezone"):
        import datetime

        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    text: str = value.isoformat()
    return text.replace("T", " ")


class Expr:
    """Which rows pass. Combine with `&`, `|` and `~`; nulls mean what they mean in SQL."""

    __slots__ = ("_node",)

    def __init__(self, node: tuple[Any, ...]) -> None:
        self._node = node

    def __and__(self, other: Expr | str) -> Expr:
        return Expr(("and", _parts("and", self, other)))

    def __rand__(self, other: Expr | str) -> Expr:
        return Expr(("and", _parts("and", other, self)))

    def __or__(self, other: Expr | str) -> Expr:
        return Expr(("or", _parts("or", self, other)))

    def __ror__(self, other: Expr | str) -> Expr:
        return Expr(("or", _parts("or", other, self)))

    def __invert__(self) -> Expr:
        return Expr(("not", (self._node,)))

    def __bool__(self) -> bool:
        raise TypeError("a filter has no truth value: use &, | and ~ instead of and, or and not")

    def __repr__(self) -> str:
        return f"bobbin.Expr({_text(self._node)})"

    def __getstate__(self) -> tuple[Any, ...]:
        return self._node

    def __setstate__(self, node: tuple[Any, ...]) -> None:
        self._node = node

    def __hash__(self) -> int:
        return hash(self._node)


def _parts(kind: str, *both: Expr | str) -> tuple[Any, ...]:
    parts: list[Any] = []
    for one in both:
        node = to_node(one)
        if node is None:
            raise InvalidArgumentError(f"not a filter: {one!r}")
        parts.extend(node[1] if node[0] == kind else (node,))
    return tuple(parts)


class Col:
    """A column by name, to be compared."""

    __slots__ = ("name",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self.name = name

    def _compare(self, op: str, other: Any) -> Expr:
        if isinstance(other, Col):
            return Expr(("columns " + op, self.name, other.name))
        if other is None:
            raise InvalidArgumentError("use is_null() to compare with None")
        return Expr((op, self.name, (_literal(other),)))

    def __eq__(self, other: Any) -> Expr:  # type: ignore[override]
        return self._compare("==", other)

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self, other: Any) -> Expr:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Expr:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Expr:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Expr:
        return self._compare(">=", other)

    def between(self, least: Literal, greatest: Literal) -> Expr:
        """From least to greatest, both included."""
        return Expr(("between", self.name, (_literal(least), _literal(greatest))))

    def isin(self, values: Sequence[Literal]) -> Expr:
        """One of the values."""
        return Expr(("in", self.name, tuple(_literal(value) for value in values)))

    def is_null(self) -> Expr:
        """Rows without a value."""
        return Expr(("is_null", self.name, ()))

    def is_not_null(self) -> Expr:
        """Rows with a value."""
        return ~self.is_null()

    def startswith(self, text: str | bytes) -> Expr:
        """Strings that begin with the text."""
        return Expr(("starts_with", self.name, (text,)))

    def endswith(self, text: str | bytes) -> Expr:
        """Strings that end with the text."""
        return Expr(("ends_with", self.name, (text,)))

    def contains(self, text: str | bytes) -> Expr:
        """Strings that contain the text."""
        return Expr(("contains", self.name, (text,)))

    def like(self, pattern: str) -> Expr:
        """As in SQL: % matches any characters, _ matches one."""
        return Expr(("like", self.name, (pattern,)))

    def ilike(self, pattern: str) -> Expr:
        """As like(), ignoring case."""
        return Expr(("ilike", self.name, (pattern,)))

    def __repr__(self) -> str:
        return f"bobbin.col({self.name!r})"


def col(name: str) -> Col:
    """A column by name, to build filters with."""
    return Col(name)


def to_node(where: Any) -> tuple[Any, ...] | None:
    """A filter in the form that the extension takes: from an Expr, the command's text, or a list of
    (column, operator, value), all of which must hold. None for no filter, which an empty list is too."""
    if where is None or (isinstance(where, (list, tuple)) and not where):
        return None
    if isinstance(where, Expr):
        return where._node
    if isinstance(where, str):
        return ("text", where)
    if isinstance(where, (list, tuple)):
        return ("and", tuple(_from_triple(*triple)._node for triple in where))
    raise InvalidArgumentError(f"not a filter: {where!r}")


def _from_triple(name: str, op: str, value: Any) -> Expr:
    column = Col(name)
    if op in ("in", "not in"):
        found = column.isin(value)
        return found if op == "in" else ~found
    op = "==" if op == "=" else op
    if op not in _NEGATED:
        raise InvalidArgumentError(f"unknown operator {op!r}")
    return column._compare(op, value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _constant(value: Any) -> str:
    if isinstance(value, tuple):
        return str(value[1])
    if isinstance(value, (str, bytes)):
        return repr(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _text(node: tuple[Any, ...]) -> str:
    """A filter as people read it."""
    kind = node[0]
    if kind in ("and", "or"):
        return "(" + f" {kind} ".join(_text(part) for part in node[1]) + ")"
    if kind == "not":
        return "not " + _text(node[1][0])
    if kind == "text":
        return str(node[1])
    if kind.startswith("columns "):
        return f"{_quoted(node[1])} {kind[8:]} {_quoted(node[2])}"
    constants = ", ".join(_constant(value) for value in node[2])
    if kind in _NEGATED:
        return f"{_quoted(node[1])} {kind} {constants}"
    return f"{_quoted(node[1])} {kind}({constants})"


class Aggregate(NamedTuple):
    """What to compute from rows. Made by count(), sum(), min(), max(), avg() and count_distinct()."""

    kind: str
    column: str


def count(column: str = "") -> Aggregate:
    """The number of rows, or of values of a column that are not null."""
    return Aggregate("count", column)


def sum(column: str) -> Aggregate:
    """The sum; exact for integers and decimals, None if there are no values."""
    return Aggregate("sum", column)


def min(column: str) -> Aggregate:
    """The least value; NaN is ignored."""
    return Aggregate("min", column)


def max(column: str) -> Aggregate:
    """The greatest value; NaN is ignored."""
    return Aggregate("max", column)


def avg(column: str) -> Aggregate:
    """The sum divided by the count, as the nearest float."""
    return Aggregate("avg", column)


def count_distinct(column: str) -> Aggregate:
    """The number of distinct values."""
    return Aggregate("count_distinct", column)
