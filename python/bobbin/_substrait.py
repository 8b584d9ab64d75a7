# SPDX-License-Identifier: Apache-2.0
"""pyarrow's expressions as trees. They cannot be walked; Substrait, a protobuf message, is their one documented form.
Only the few messages that filters consist of are read here."""
from __future__ import annotations

import struct
from typing import Any

from ._translate import Tree, _comparison, date_text, digits_text, moment_text


_COMPARISONS = {"equal": "==", "not_equal": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def from_expression(expression: Any, schema: Any) -> tuple[Tree, set[str] | None]:
    """The tree of an expression, None if it is not understood; and the columns it uses, None if that is not known."""
    mentioned = _mentioned(expression, schema)
    try:
        # Substrait has no words for some types: only columns that may be used are described.
        described = schema if mentioned is None else _part(schema, mentioned)
        message = _parse(_substrait(expression, described))
        reader = _Reader(message, described.names)
        return reader.node(_parse(_parse(message[3][0])[1][0])), reader.used
    except Exception:  # not expressible in Substrait, or in a newer form: not understood
        return None, mentioned


def _substrait(expression: Any, schema: Any) -> bytes:
    import pyarrow

    try:
        return bytes(expression.to_substrait(schema))
    except (NotImplementedError, pyarrow.ArrowException):
        # Perhaps because of a column that is not used.
        return bytes(expression.to_substrait(_part(schema, {field.name for field in schema if _is_expressible(field)})))


def _is_expressible(field: Any) -> bool:
    import pyarrow.compute

    try:
        pyarrow.compute.field(field.name).is_valid().to_substrait(pyarrow.schema([field]))
    except (NotImplementedError, pyarrow.ArrowException):
        return False
    return True


def _mentioned(expression: Any, schema: Any) -> set[str] | None:
    """The columns whose names are in the expression's text: those that it uses, and perhaps others."""
    text = str(expression)
    return None if "FieldRef" in text or "FieldPath" in text else {name for name in schema.names if name in text}


def _part(schema: Any, names: set[str]) -> Any:
    for i in reversed(range(len(schema))):
        if schema.field(i).name not in names:
            schema = schema.remove(i)
    return schema


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _parse(data: bytes) -> dict[int, list[Any]]:
    """The fields of a message by number: integers, or bytes of strings, messages and fixed-size numbers."""
    fields: dict[int, list[Any]] = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        value: Any
        if wire == 0:
            value, at = _varint(data, at)
        else:
            size, at = (8, at) if wire == 1 else (4, at) if wire == 5 else _varint(data, at)
            value, at = data[at : at + size], at + size
        fields.setdefault(key >> 3, []).append(value)
    return fields


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


class _Reader:
    def __init__(self, message: dict[int, list[Any]], names: list[str]) -> None:
        self.used: set[str] = set()
        self._names = names
        self._functions: dict[int, str] = {}
        for declaration in message.get(2, ()):
            for function in _parse(declaration).get(3, ()):
                fields = _parse(function)
                self._functions[fields.get(2, [0])[0]] = fields[3][0].decode().split(":")[0]
        self._collect(_parse(_parse(message[3][0])[1][0]))

    def _collect(self, expression: dict[int, list[Any]]) -> None:
        """Notes all columns, also of parts that are not understood. An unknown kind raises."""
        for kind, bodies in expression.items():
            for body in bodies:
                if kind == 2:
                    self.used.add(self._column(_parse(body)))
                elif kind == 3:
                    for argument in _parse(body).get(4, ()):
                        for value in _parse(argument).get(3, ()):
                            self._collect(_parse(value))
                elif kind == 8:
                    for part in (*_parse(body).get(1, ()), *_parse(body).get(2, ())):
                        self._collect(_parse(part))
                elif kind == 11:
                    self._collect(_parse(_parse(body)[2][0]))
                elif kind == 6:
                    self._collect_branches(_parse(body))
                elif kind != 1:
                    raise ValueError(kind)

    def _collect_branches(self, body: dict[int, list[Any]]) -> None:
        for clause in body.get(1, ()):
            for part in _parse(clause).values():
                self._collect(_parse(part[0]))
        for part in body.get(2, ()):
            self._collect(_parse(part))

    def _column(self, selection: dict[int, list[Any]]) -> str:
        field = _parse(_parse(selection[1][0])[2][0])
        if 2 in field:
            raise ValueError("a nested column")
        index: int = field.get(1, [0])[0]
        return self._names[index]

    def node(self, expression: dict[int, list[Any]]) -> Tree:
        if 8 in expression:
            return self._listed(_parse(expression[8][0]))
        if 6 in expression:
            return self._guarded(_parse(expression[6][0]))
        if 2 in expression:  # a column of booleans
            return ("==", (self._column(_parse(expression[2][0])), (True,)))
        if 1 in expression:
            return ("and", []) if _literal(_parse(expression[1][0])) is True else None
        if 3 not in expression:
            return None
        call = _parse(expression[3][0])
        name = self._functions.get(call.get(1, [0])[0])
        arguments = [_parse(_parse(argument)[3][0]) for argument in call.get(4, ())]
        if name in ("and", "or"):
            return (name, [self.node(argument) for argument in arguments])
        if name == "not":
            return ("not", [self.node(arguments[0])])
        if name in ("is_null", "is_not_null"):
            if 2 not in arguments[0]:
                return None
            test = ("is_null", (self._column(_parse(arguments[0][2][0])), ()))
            return test if name == "is_null" else ("not", [test])
        try:
            if name == "starts_with":
                return self._of_text(name, arguments)
            return _comparison(_COMPARISONS.get(name or ""), arguments[0], arguments[1], self._operand)
        except ValueError:
            return None

    def _of_text(self, name: str, arguments: list[dict[int, list[Any]]]) -> Tree:
        (kind, column), (_, text) = self._operand(arguments[0]), self._operand(arguments[1])
        return (name, (column, (text,))) if kind == "column" else None

    def _listed(self, body: dict[int, list[Any]]) -> Tree:
        """value IN (options)"""
        try:
            kind, column = self._operand(_parse(body[1][0]))
            values = tuple(self._operand(_parse(option))[1] for option in body.get(2, ()))
        except ValueError:
            return None
        return ("in", (column, values)) if kind == "column" and values else None

    def _guarded(self, body: dict[int, list[Any]]) -> Tree:
        """DuckDB writes IN as: if the column is valid, then the list, else null. Of other branches rows pass only if
        the condition and what follows it hold, which is left out, so that nobody negates what remains."""
        clauses = [_parse(clause) for clause in body.get(1, ())]
        if len(clauses) != 1 or not self._fails(body):
            return None
        condition, found = self.node(_parse(clauses[0][1][0])), self.node(_parse(clauses[0][2][0]))
        if found is not None and found[0] == "in" and condition == ("not", [("is_null", (found[1][0], ()))]):
            return ("sql in", found[1])
        return ("and", [None, found])

    @staticmethod
    def _fails(body: dict[int, list[Any]]) -> bool:
        """Whether the other branch is null or false."""
        otherwise = _parse(body[2][0]) if 2 in body else {1: [b""]}
        literal = _parse(otherwise[1][0]) if 1 in otherwise else {}
        return not literal or 29 in literal or literal.get(1) == [0]

    def _operand(self, expression: dict[int, list[Any]]) -> tuple[str, Any]:
        if 2 in expression:
            return "column", self._column(_parse(expression[2][0]))
        if 1 not in expression:
            raise ValueError("a computed value")
        return "value", _literal(_parse(expression[1][0]))


def _literal(literal: dict[int, list[Any]]) -> Any:
    """A constant; one of an unknown type raises."""
    ((kind, (value,)),) = ((kind, values) for kind, values in literal.items() if kind not in (50, 51))
    if kind == 1:
        return bool(value)
    if kind in (2, 3, 5, 7):
        return _signed(value)
    if kind in (10, 11):
        return struct.unpack("<f" if kind == 10 else "<d", value)[0]
    if kind == 12:
        return value.decode()
    if kind == 13:
        return value
    if kind in (14, 27):
        return moment_text(_signed(value), 6)
    if kind == 16:
        return date_text(_signed(value))
    if kind == 24:
        fields = _parse(value)
        integer = int.from_bytes(fields[1][0], "little", signed=True)
        return ("digits", digits_text(integer, fields.get(3, [0])[0]))
    if kind in (34, 35):
        fields = _parse(value)
        return moment_text(_signed(fields.get(2, [0])[0]), fields.get(1, [0])[0])
    if kind == 33:
        return _user_defined(_parse(value))
    raise ValueError(kind)


def _user_defined(fields: dict[int, list[Any]]) -> Any:
    """Constants of types that only Arrow has: large strings and large binary as google.protobuf.StringValue and
    BytesValue in a google.protobuf.Any, unsigned integers as UInt64Value and the like."""
    packed = next(_parse(parts[0]) for number, parts in fields.items() if number != 1)
    name = packed[1][0].decode().rpartition(".")[2]
    wrapped = _parse(packed[2][0]) if 2 in packed else {}
    if name in ("StringValue", "BytesValue"):
        data = wrapped.get(1, [b""])[0]
        return data.decode() if name == "StringValue" else data
    if name in ("UInt32Value", "UInt64Value"):
        return wrapped.get(1, [0])[0]
    raise ValueError(name)
