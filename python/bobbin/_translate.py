# SPDX-License-Identifier: Apache-2.0
"""Predicates of engines as filters of a scan. What is not understood is left out: the engine applies its own
predicate to the rows that are left, so that a filter may let through too many rows, but never too few."""
from __future__ import annotations

from typing import Any, Callable, Mapping, Union

Node = Union["tuple[Any, ...]", None]
Tree = Union["tuple[str, Any]", None]

_FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_PER_SECOND = {0: 1, 3: 10**3, 6: 10**6, 9: 10**9}


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


def conjunction(parts: list[Node]) -> Node:
    """All of them that are known."""
    known = tuple(part for part in parts if part is not None)
    return None if not known else known[0] if len(known) == 1 else ("and", known)


def disjunction(parts: list[Node]) -> Node:
    """Any of them; not known if one is not."""
    known = tuple(part for part in parts if part is not None)
    return ("or", known) if len(known) == len(parts) and known else None


def is_exact(tree: Tree, types: Mapping[str, str]) -> bool:
    """Whether a tree may be negated: nothing in it is left out or approximated. A list is not: for engines a null is
    not in it, and for scans that is not known."""
    if tree is None or tree[0] == "in":
        return False
    kind, rest = tree
    if kind in ("and", "or", "not"):
        return all(is_exact(part, types) for part in rest)
    return to_filter(tree, types) is not None and not types.get(rest[0], "f").startswith("f")


def to_filter(tree: Tree, types: Mapping[str, str], nan_is_greatest: bool = False) -> Node:
    """A filter that lets through all rows of a tree of ("and"|"or"|"not", parts) and (test, (column, values))."""
    if tree is None:
        return None
    kind, rest = tree
    if kind == "and":
        return conjunction([to_filter(part, types, nan_is_greatest) for part in rest])
    if kind == "or":
        return disjunction([to_filter(part, types, nan_is_greatest) for part in rest])
    if kind == "not":
        inner = to_filter(rest[0], types) if is_exact(rest[0], types) else None
        return None if inner is None else ("not", (inner,))
    column, values = rest
    return _test(kind, column, values, types, nan_is_greatest)


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
    return isinstance(value, (int, float, tuple)) and not isinstance(value, bool) and value == value


def _test(op: str, column: str, values: tuple[Any, ...], types: Mapping[str, str], nan_is_greatest: bool) -> Node:
    kind = types.get(column)
    if kind is None or not all(_fits(kind, value) for value in values):
        return None
    if op == "is_null":
        return None if kind in ("f32", "f64") else (op, column, values)  # NaN may count as null
    if op in ("starts_with", "ends_with"):
        return (op, column, values) if kind == "utf8" else None
    if op in (">", ">=") and kind in ("f32", "f64") and nan_is_greatest:
        return ("not", (("<=" if op == ">" else "<", column, values),))
    if kind == "bool" and op not in ("==", "!=", "in"):
        return None
    return (op, column, values)


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
        return _comparison(_POLARS_OPS.get(body["op"]), body["left"], body["right"], _polars_operand)
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
    if isinstance(found, dict) and found.get("IsBetween") == {"closed": "Both"}:
        values = tuple(_polars_operand(one)[1] for one in inputs[1:])
        return ("and", [(">=", (column, values[:1])), ("<=", (column, values[1:]))])
    test_name = _POLARS_STRINGS.get(function.get("StringExpr", ""))
    return None if test_name is None else (test_name, (column, (_polars_operand(inputs[1])[1],)))


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
    if kind in ("String", "StringOwned", "Boolean") or kind.startswith(("Int", "UInt", "Float")):
        return "value", value
    raise ValueError(kind)


def digits_text(integer: int, scale: int) -> str:
    """A decimal as text."""
    import decimal

    return format(decimal.Context(prec=80).scaleb(decimal.Decimal(integer), -scale), "f")


def _comparison(op: str | None, left: Any, right: Any, operand: Callable[[Any], tuple[str, Any]]) -> Tree:
    (first, a), (second, b) = operand(left), operand(right)
    if op is None or first == second:
        return None
    return (op, (a, (b,))) if first == "column" else (_FLIPPED[op], (b, (a,)))
