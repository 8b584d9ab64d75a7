# SPDX-License-Identifier: Apache-2.0
"""Filters and aggregates: `(bb.col("a") < 10) & bb.col("s").startswith("x")`, `bb.sum(bb.col("a") * 2)`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence, Union

from .errors import InvalidArgumentError

if TYPE_CHECKING:
    import datetime
    import decimal

    Literal = Union[bool, int, float, str, bytes, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta]

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*"}


def _literal(value: Any) -> Any:
    """A constant in the form that the extension takes."""
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    if hasattr(value, "dtype") and hasattr(value, "item"):
        if str(value.dtype).startswith("datetime64"):
            return str(value).replace("T", " ")
        if str(value.dtype).startswith("timedelta64"):
            return _literal(value.astype("m8[us]").item())
        return _literal(value.item())
    if hasattr(value, "total_seconds"):
        return ("span", (value.days * 86_400 + value.seconds) * 10**6 + value.microseconds)
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


class _Number:
    """What can be computed with and compared: a column, or what is computed from columns."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # NumPy's numbers on the left leave the operation to this class

    def _operand(self) -> tuple[str, Any]:
        raise NotImplementedError

    def _compare(self, op: str, other: Any) -> Expr:
        if other is None:
            raise InvalidArgumentError("use is_null() to compare with None")
        operand = _operand(other)
        if operand is None:
            raise InvalidArgumentError(f"cannot compare what is computed with {other!r}")
        return Expr(("computed " + op, self._operand(), operand))

    def __add__(self, other: Any) -> Formula:
        return _operation("add", self, other)

    def __radd__(self, other: Any) -> Formula:
        return _operation("add", other, self)

    def __sub__(self, other: Any) -> Formula:
        return _operation("subtract", self, other)

    def __rsub__(self, other: Any) -> Formula:
        return _operation("subtract", other, self)

    def __mul__(self, other: Any) -> Formula:
        return _operation("multiply", self, other)

    def __rmul__(self, other: Any) -> Formula:
        return _operation("multiply", other, self)

    def __neg__(self) -> Formula:
        return Formula(("negate", (self._operand(),)))

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


def _operand(value: Any) -> tuple[str, Any] | None:
    """A node of a formula; None if the value is not a number."""
    if isinstance(value, _Number):
        return value._operand()
    constant = _literal(value) if hasattr(value, "item") or hasattr(value, "as_tuple") else value
    is_number = isinstance(constant, (int, float, tuple)) and not isinstance(constant, bool)
    return ("constant", constant) if is_number else None


def _operation(kind: str, left: Any, right: Any) -> Formula:
    operands = _operand(left), _operand(right)
    return NotImplemented if None in operands else Formula((kind, operands))


class Formula(_Number):
    """A number computed from the columns of a row, by +, - and *: `bb.col("price") * (1 - bb.col("discount"))`.

    Integers and decimals are exact, an overflow of 128 bits is an error, and null if an operand is null. A Python
    float makes the operation one of floats; a Decimal is a decimal.
    """

    __slots__ = ("_node",)

    def __init__(self, node: tuple[str, Any]) -> None:
        self._node = node

    def _operand(self) -> tuple[str, Any]:
        return self._node

    def between(self, least: Any, greatest: Any) -> Expr:
        """From least to greatest, both included."""
        return self._compare(">=", least) & self._compare("<=", greatest)

    def __repr__(self) -> str:
        return f"bobbin.Formula({_formula_text(self._node)})"


class Col(_Number):
    """A column by name, to be compared and computed with."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def _operand(self) -> tuple[str, Any]:
        return ("column", self.name)

    def _compare(self, op: str, other: Any) -> Expr:
        if other is None or isinstance(other, _Number):
            return super()._compare(op, other)
        return Expr((op, self.name, (_literal(other),)))

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
    """A column by name, to build filters and formulas with."""
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


_PER_SECOND = {"s": 1, "m": 10**3, "u": 10**6, "n": 10**9}


def with_units(node: Any, formats: Mapping[str, str]) -> Any:
    """A filter whose timedeltas are numbers of the columns' units. `formats` are the columns' types in Arrow."""
    if node is None or node[0] == "text" or node[0].startswith("computed "):
        return node
    if node[0] in ("and", "or", "not"):
        return (node[0], tuple(with_units(part, formats) for part in node[1]))
    kind, column, values = node
    return (kind, column, tuple(_in_unit(value, column, formats.get(column, "")) for value in values))


def _in_unit(value: Any, column: str, format: str) -> Any:
    if not isinstance(value, tuple) or value[0] != "span":
        return value
    if not format.startswith("tD"):
        raise InvalidArgumentError(f"column {column!r} has no durations: it cannot be compared with a timedelta")
    scaled, rest = divmod(value[1] * _PER_SECOND[format[2]], 10**6)
    # Between two values of the column: a decimal says so.
    return scaled if not rest else ("digits", f"{scaled}.5" if scaled >= 0 else f"-{-scaled - 1}.5")


def _from_triple(name: str, op: str, value: Any) -> Expr:
    column = Col(name)
    if op in ("in", "not in"):
        found = column.isin(value)
        return found if op == "in" else ~found
    op = "==" if op == "=" else op
    if op not in _COMPARISONS:
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
    if kind.startswith("computed "):
        return f"{_formula_text(node[1])} {kind[9:]} {_formula_text(node[2])}"
    constants = ", ".join(_constant(value) for value in node[2])
    if kind in _COMPARISONS:
        return f"{_quoted(node[1])} {kind} {constants}"
    return f"{_quoted(node[1])} {kind}({constants})"


def _formula_text(node: tuple[str, Any]) -> str:
    """A formula as people read it."""
    kind, rest = node
    if kind == "column":
        return _quoted(rest)
    if kind == "constant":
        return _constant(rest)
    if kind == "negate":
        return "-" + _formula_text(rest[0])
    return f"({_formula_text(rest[0])} {_SIGNS[kind]} {_formula_text(rest[1])})"


class Aggregate(NamedTuple):
    """What to compute from rows. Made by count(), sum(), min(), max(), avg() and count_distinct()."""

    kind: str
    column: str = ""
    formula: "tuple[str, Any] | None" = None  # instead of a column

    def of(self) -> str | tuple[str, Any]:
        """The column or the formula, in the form that the extension takes."""
        return self.column if self.formula is None else self.formula


Source = Union[str, Col, Formula]


def _aggregate(kind: str, source: Source) -> Aggregate:
    if isinstance(source, Formula):
        return Aggregate(kind, formula=source._operand())
    return Aggregate(kind, source.name if isinstance(source, Col) else source)


def count(source: Source = "") -> Aggregate:
    """The number of rows, or of values of a column or formula that are not null."""
    return _aggregate("count", source)


def sum(source: Source) -> Aggregate:
    """The sum; exact for integers and decimals, None if there are no values."""
    return _aggregate("sum", source)


def min(source: Source) -> Aggregate:
    """The least value; NaN is ignored."""
    return _aggregate("min", source)


def max(source: Source) -> Aggregate:
    """The greatest value; NaN is ignored."""
    return _aggregate("max", source)


def avg(source: Source) -> Aggregate:
    """The sum divided by the count, as the nearest float."""
    return _aggregate("avg", source)


def count_distinct(column: str | Col) -> Aggregate:
    """The number of distinct values of a column."""
    return _aggregate("count_distinct", column)
