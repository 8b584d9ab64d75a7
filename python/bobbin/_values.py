# SPDX-License-Identifier: Apache-2.0
"""Values of the extension as Python's own types."""
from __future__ import annotations

from typing import Any

_PER_SECOND = (1, 10**3, 10**6, 10**9)


def to_python(value: Any, kind: str) -> Any:
    """Dates, times and decimals from integers. The column's type in Arrow says what else: str from bytes ("U"), a time
    zone ("tsu:Europe/Berlin"), a duration ("tDu")."""
    if isinstance(value, bytes):
        return value.decode() if kind in ("u", "U") else value
    if isinstance(value, tuple):
        made = _logical(*value)
        return in_zone(made, zone_of(kind)) if zone_of(kind) and hasattr(made, "tzinfo") else made
    if kind.startswith("tD") and value is not None:
        return _duration(value, _PER_SECOND["smun".index(kind[2])])
    return value


def zone_of(kind: str) -> str:
    """The time zone of a column of timestamps; empty: none."""
    return kind[4:] if kind.startswith("ts") else ""


def in_zone(moment: Any, zone: str) -> Any:
    """A moment of UTC as one of a zone: a name, or an offset such as "+02:00". In UTC if the zone is not known here."""
    import datetime
    import zoneinfo

    utc = moment.replace(tzinfo=datetime.timezone.utc)
    try:
        if zone[0] in "+-":
            minutes = int(zone[1:3]) * 60 + int(zone[-2:])
            offset = datetime.timedelta(minutes=-minutes if zone[0] == "-" else minutes)
            return utc.astimezone(datetime.timezone(offset))
        return utc.astimezone(zoneinfo.ZoneInfo(zone))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return utc


def _duration(value: Any, per_second: int) -> Any:
    """A timedelta; parts of a microsecond stay a number, in the column's unit."""
    import datetime

    micros, rest = divmod(value * 10**6, per_second)
    if rest and isinstance(value, int):
        return value
    try:
        return datetime.timedelta(microseconds=micros)
    except OverflowError:
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
