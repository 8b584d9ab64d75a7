# SPDX-License-Identifier: Apache-2.0
"""Values of the extension as Python's own types."""
from __future__ import annotations

from typing import Any

_PER_SECOND = (1, 10**3, 10**6, 10**9)


def to_python(value: Any, is_text: bool) -> Any:
    """Dates, times and decimals from integers; str from bytes if the column has text."""
    if isinstance(value, bytes):
        return value.decode() if is_text else value
    if isinstance(value, tuple):
        return _logical(*value)
    return value


def _logical(value: int, kind: str, detail: int) -> Any:
    if kind == "bool":
        return bool(value)
    if kind == "decimal":
        import decimal

        digits = decimal.Context(prec=60)
        return digits.scaleb(decimal.Decimal(value), -detail)
    return _moment(value, kind, detail)


def _moment(value: int, kind: str, unit: int) -> Any:
    """A date, datetime or time. Values that Python has no type for (years before 1 or after 9999, fractions of a
    microsecond) stay integers, in the column's unit."""
    import datetime

    epoch = datetime.datetime(1970, 1, 1)
    try:
        if kind == "date":
            return (epoch + datetime.timedelta(days=value)).date()
        micros, rest = divmod(value * 10**6, _PER_SECOND[unit])
        if rest:
            return value
        moment = epoch + datetime.timedelta(microseconds=micros)
    except OverflowError:
        return value
    if kind == "time":
        return moment.time() if 0 <= micros < 86_400 * 10**6 else value
    return moment
