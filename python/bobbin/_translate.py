# SPDX-License-Identifier: Apache-2.0
"""Predicates of engines as filters of a scan. What is not understood is left out: the engine then applies its own
predicate to the rows that are left, so that a filter may let through too many rows, but never too few. A filter that
is exact lets through the very rows for which the predicate is true: then nothing need be applied again."""
from __future__ import annotations

import struct
from typing import Any, Callable, Mapping, NamedTuple, Union

Node = Union["tuple[Any, ...]", None]
# ("and" | "or" | "not", parts), (test, (column, values)), ("columns", (operator, column, column)); None: not understood.
# The test "in" is false for nulls, as that of pyarrow and Polars is; "sql in" is null for them, as that of scans is.
Tree = Union["tuple[str, Any]", None]

_FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_PER_SECOND = {0: 1, 3: 10**3, 6: 10**6, 9: 10**9}


class Filter(NamedTuple):
    """A filter for a scan; no node lets all rows through."""

    node: Node
    is_exact: bool


_UNKNOWN = Filter(None, False)


def moment_text(value: int, digits: int) -> str:
    """A timestamp with this many digits of a second, as a filter's text."""
    import datetime

    seconds, rest = divmod(value, _PER_SECOND[digits])
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return moment.isoformat(" ") + (f".{rest:0{digits}}" if digits else "")


def date_text(days: int) -> str:
    """A date, as a filter's text."""
    import datetime

    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=days)).isoformat()


def to_filter(tree: Tree, types: Mapping[str, str], nan_is_greatest: bool = False) -> Filter:
    """A filter that lets through all rows for which a tree is true. With `nan_is_greatest` NaN equals itself and is
    greater than all numbers, as in Polars; otherwise it compares as IEEE 754 says."""
    if tree is None:
        return _UNKNOWN
    kind, rest = tree
    if kind == "and":
        return _conjunction([to_filter(part, types, nan_is_greatest) for part in rest])
    if kind == "or":
        return _disjunction([to_filter(part, types, nan_is_greatest) for part in rest])
    if kind == "not":
        inner = to_filter(rest[0], types) if _may_negate(rest[0], types) else _UNKNOWN
        return Filter(("not", (inner.node,)), True) if inner.is_exact and inner.node is not None else _UNKNOWN
    if kind == "columns":
        op, first, second = rest
        return _of_columns(op, first, second, types, nan_is_greatest)
    column, values = rest
    return _test(kind, column, values, types, nan_is_greatest)


def _conjunction(parts: list[Filter]) -> Filter:
    """All of those that are known."""
    known = tuple(part.node for part in parts if part.node is not None)
    node = None if not known else known[0] if len(known) == 1 else ("and", known)
    return Filter(node, all(part.is_exact for part in parts))


def _disjunction(parts: list[Filter]) -> Filter:
    """Any of them; not known if one is not."""
    if any(part.node is None for part in parts):
        return _UNKNOWN
    return Filter(("or", tuple(part.node for part in parts)), all(part.is_exact for part in parts))


def _may_negate(tree: Tree, types: Mapping[str, str]) -> bool:
    """Whether a tree is null for the same rows for which a scan's filter is null. Floats are left out because of NaN."""
    if tree is None or tree[0] == "in":
        return False
    kind, rest = tree
    if kind in ("and", "or", "not"):
        return all(_may_negate(part, types) for part in rest)
    names = rest[1:] if kind == "columns" else rest[:1]
    return kind == "is_null" or not any(types.get(name, "f").startswith("f") for name in names)


def _of_columns(op: str, first: str, second: str, types: Mapping[str, str], nan_is_greatest: bool) -> Filter:
    kind = types.get(first, "")
    if kind != types.get(second) or (nan_is_greatest and kind.startswith("f")):
        return _UNKNOWN
    if kind == "bool" and op not in ("==", "!="):
        return _UNKNOWN
    return Filter(("computed " + op, ("column", first), ("column", second)), True)


def _fits(kind: str, value: Any) -> bool:
    """Whether a column of this type can be compared with the value."""
    if kind == "utf8":
        return isinstance(value, str)
    if kind == "binary":
        return isinstance(value, bytes)
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "date" or kind.startswith("time"):
        return isinstance(value, str) and not kind.startswith("time[")
    if kind.startswith("tD") or isinstance(value, tuple) and value[0] == "span":
        return kind.startswith("tD") and isinstance(value, tuple) and value[0] == "span"
    return isinstance(value, (int, float, tuple)) and not isinstance(value, bool) and value == value


def _compares_alike(kind: str, value: Any) -> bool:
    """Whether engines compare a column with the value as scans do: by value, without rounding one of them."""
    if kind in ("f32", "f64"):
        return isinstance(value, float) and (kind == "f64" or _is_f32(value))
    return not isinstance(value, float)


def _is_f32(value: float) -> bool:
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


def _test(op: str, column: str, values: tuple[Any, ...], types: Mapping[str, str], nan_is_greatest: bool) -> Filter:
    kind = types.get(column)
    if kind is None or not all(_fits(kind, value) for value in values):
        return _UNKNOWN
    if op in ("starts_with", "ends_with", "contains") and kind != "utf8":
        return _UNKNOWN
    if kind == "bool" and op not in ("==", "!=", "in", "sql in", "is_null"):
        return _UNKNOWN
    is_exact = all(_compares_alike(kind, value) for value in values)
    if op in (">", ">=") and kind in ("f32", "f64") and nan_is_greatest:
        return Filter(("not", (("<=" if op == ">" else "<", column, values),)), is_exact)
    return Filter(("in" if op == "sql in" else op, column, values), is_exact)


# ---- Polars ----

_POLARS_OPS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_POLARS_STRINGS = {"StartsWith": "starts_with", "EndsWith": "ends_with"}
_POLARS_UNITS = {"Milliseconds": 3, "Microseconds": 6, "Nanoseconds": 9}


def from_polars(expression: Any) -> Tree:
    """A tree of a Polars expression, from its JSON form. That may change: what is new is not understood."""
    import json
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _polars_node(json.loads(expression.meta.serialize(format="json")))
    except Exception:  # any change of the form: not understood
        return None


def _polars_node(node: dict[str, Any]) -> Tree:
    kind, body = next(iter(node.items()))
    if kind == "BinaryExpr":
        if body["op"] in ("And", "LogicalAnd", "Or", "LogicalOr"):
            parts = [_polars_node(body["left"]), _polars_node(body["right"])]
            return ("and" if body["op"].endswith("And") else "or", parts)
        try:
            return _comparison(_POLARS_OPS.get(body["op"]), body["left"], body["right"], _polars_operand)
        except (KeyError, ValueError):
            return None
    if kind == "Column":  # of booleans: one of another type cannot be a predicate
        return ("==", (body, (True,)))
    if kind == "Function":
        return _polars_function(body["function"], body["input"])
    return None


def _polars_function(function: Any, inputs: list[Any]) -> Tree:
    found = function.get("Boolean")
    if found == "Not":
        return ("not", [_polars_node(inputs[0])])
    column = inputs[0].get("Column")
    if not isinstance(column, str):
        return None
    if found in ("IsNull", "IsNotNull"):
        test = ("is_null", (column, ()))
        return test if found == "IsNull" else ("not", [test])
    try:
        return _polars_test(found, function.get("StringExpr"), column, inputs[1:])
    except (KeyError, ValueError):
        return None


_POLARS_BOUNDS = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}
# What has a meaning of its own in a regular expression.
_SPECIAL = frozenset("\\.^$|?*+()[]{}")


def _polars_test(boolean: Any, string: Any, column: str, inputs: list[Any]) -> Tree:
    if isinstance(boolean, dict) and "IsBetween" in boolean:
        least, greatest = _POLARS_BOUNDS[boolean["IsBetween"]["closed"]]
        values = tuple(_polars_operand(one) for one in inputs)
        if any(kind != "value" for kind, _ in values):
            return None
        return ("and", [(least, (column, (values[0][1],))), (greatest, (column, (values[1][1],)))])
    if isinstance(boolean, dict) and "IsIn" in boolean:
        return None if boolean["IsIn"].get("nulls_equal") else ("sql in", (column, _polars_list(inputs[0]["Literal"])))
    if isinstance(string, dict) and "Contains" in string:
        _, text = _polars_operand(inputs[0])
        is_plain = string["Contains"]["literal"] or not _SPECIAL.intersection(text)
        return ("contains", (column, (text,))) if is_plain else None
    name = _POLARS_STRINGS.get(string if isinstance(string, str) else "")
    kind, text = _polars_operand(inputs[0]) if name else ("", None)
    return (name, (column, (text,))) if name and kind == "value" else None


def _polars_list(literal: Any) -> tuple[Any, ...]:
    """The values of a list, which come as a stream of Arrow IPC. A null is in no list."""
    import polars

    data = literal["Series"] if "Series" in literal else literal["Scalar"]["List"]
    values = polars.read_ipc_stream(bytes(data)).to_series().drop_nulls().to_list()
    return tuple(_plain(value) for value in values)


def _plain(value: Any) -> Any:
    """A Python value as the constants of a tree are."""
    import datetime
    import decimal

    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return ("digits", format(value, "f"))
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    raise ValueError(value)


def _polars_operand(node: dict[str, Any]) -> tuple[str, Any]:
    """("column", name) or ("value", value); anything else raises."""
    if "Column" in node:
        return "column", node["Column"]
    literal = node["Literal"]
    ((kind, value),) = (literal.get("Dyn") or literal["Scalar"]).items()
    if kind == "Date":
        return "value", date_text(value)
    if kind == "Datetime":
        return "value", moment_text(value[0], _POLARS_UNITS[value[1]])
    if kind == "Decimal":
        return "value", ("digits", digits_text(value[0], value[2]))
    if kind == "Duration":
        micros, rest = divmod(value[0] * 10**6, _PER_SECOND[_POLARS_UNITS[value[1]]])
        if not rest:
            return "value", ("span", micros)
    if kind in ("String", "StringOwned", "Boolean") or kind.startswith(("Int", "UInt", "Float")):
        return "value", value
    raise ValueError(kind)


def digits_text(integer: int, scale: int) -> str:
    """A decimal as text."""
    import decimal

    return format(decimal.Context(prec=80).scaleb(decimal.Decimal(integer), -scale), "f")


def _comparison(op: str | None, left: Any, right: Any, operand: Callable[[Any], tuple[str, Any]]) -> Tree:
    (first, a), (second, b) = operand(left), operand(right)
    if op is None or first == second == "value":
        return None
    if first == second:
        return ("columns", (op, a, b))
    return (op, (a, (b,))) if first == "column" else (_FLIPPED[op], (b, (a,)))
