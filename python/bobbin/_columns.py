# SPDX-License-Identifier: Apache-2.0
"""Columns of plain Python: numpy arrays, buffers and lists as the buffers that the extension writes, and back."""
from __future__ import annotations

import sys
from array import array
from typing import Any, NamedTuple, Sequence

from . import _core
from .errors import InvalidArgumentError, UnsupportedError

_NUMBERS = {"b": "i", "h": "i", "i": "i", "l": "i", "q": "i", "B": "u", "H": "u", "I": "u", "L": "u", "Q": "u", "f": "f", "d": "f"}
FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
_HOST = 1  # DLPack's device type
_UNITS = ("s", "ms", "us", "ns")


class Buffers(NamedTuple):
    """A column for the extension: its type and its memory."""

    type: str
    length: int
    values: Any
    offsets: Any = None
    validity: Any = None
    format: str = ""  # its type in Arrow, if that says more: a time zone, a duration


def from_any(name: str, data: Any) -> Buffers:
    """A column from a numpy array, anything with the buffer protocol, or a sequence of Python values."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(data, numpy.ndarray):
        return _from_numpy(name, data, numpy)
    if not isinstance(data, (str, bytes, bytearray, list, tuple)):
        try:
            return _from_buffer(name, memoryview(data))
        except TypeError:
            pass
    if hasattr(data, "__dlpack__"):
        return _from_dlpack(name, data)
    if isinstance(data, (str, bytes, bytearray)) or not hasattr(data, "__iter__"):
        raise InvalidArgumentError(f"column {name!r}: expected an array or a sequence, found {type(data).__name__}")
    return _from_values(name, list(data))


def _from_dlpack(name: str, data: Any) -> Buffers:
    """An array of a library that has no buffers, such as PyTorch, in the memory of the host."""
    if data.__dlpack_device__()[0] != _HOST:
        raise UnsupportedError(f"column {name!r}: the array is in device memory; encode it there with bb.encode(), or copy it to the host first")
    try:
        return Buffers(*_core.import_dlpack(data))
    except TypeError:
        message = f"column {name!r}: expected an array of numbers with one dimension, in one piece"
        raise InvalidArgumentError(message) from None


def as_type(name: str, data: Any, kind: str) -> Buffers:
    """A column of a given type. Lists of Python values are converted; arrays must have the type."""
    if not isinstance(data, (list, tuple)):
        column = from_any(name, data)
        if column.type != kind:
            raise InvalidArgumentError(f"column {name!r}: expected {kind}, found {column.type}")
        return column
    if kind in ("utf8", "binary", "bool") and any(value is not None for value in data):
        column = _from_values(name, list(data))
        if column.type != kind:
            raise InvalidArgumentError(f"column {name!r}: expected {kind}, found {column.type}")
        return column
    if kind in ("utf8", "binary"):
        return _from_strings(kind, [b""] * len(data), _validity(data))
    try:
        return _packed(kind, FORMATS.get(_stored(kind), "B"), [_as_number(value, kind) for value in data], _validity(data))
    except (TypeError, OverflowError, ValueError, AttributeError):
        raise InvalidArgumentError(f"column {name!r}: a value is not of type {kind}") from None


def _stored(kind: str) -> str:
    """The numbers that a type consists of."""
    if kind.startswith("decimal"):
        return kind.rsplit(" ", 1)[-1] if " " in kind else "i64"
    return "i32" if kind == "date" else "i64" if kind.startswith("time") else kind


def _as_number(value: Any, kind: str) -> Any:
    if value is None:
        return 0
    if kind == "date":
        import datetime

        return (value - datetime.date(1970, 1, 1)).days
    if kind.startswith("timestamp"):
        ratio = {"s": 10**6, "ms": 10**3, "us": 1}.get(kind[10:-1])
        return _micros(value) * 1000 if ratio is None else _exact(_micros(value), ratio)
    if kind.startswith("time["):
        ratio = {"s": 10**6, "ms": 10**3, "us": 1}.get(kind[5:-1])
        return value if isinstance(value, int) else _of_day(value) * 1000 if ratio is None else _exact(_of_day(value), ratio)
    if kind.startswith("decimal"):
        import decimal

        scaled = decimal.Decimal(value).scaleb(int(kind[8 : kind.index(")")]))
        if scaled != int(scaled):
            raise ValueError
        return int(scaled)
    return value


def _exact(value: int, ratio: int) -> int:
    quotient, rest = divmod(value, ratio)
    if rest:
        raise ValueError
    return quotient


def _validity(values: Sequence[Any]) -> Any:
    """One bit per value, or None if there are no nulls."""
    if all(value is not None for value in values):
        return None
    bits = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value is not None:
            bits[i // 8] |= 1 << (i % 8)
    return memoryview(bits)


def _from_buffer(name: str, view: memoryview) -> Buffers:
    if view.ndim != 1:
        raise InvalidArgumentError(f"column {name!r}: expected one dimension, found {view.ndim}")
    if view.format == "?":
        return Buffers("bool", len(view), _bytes(view))
    kind = _NUMBERS.get(view.format)
    if kind is None:
        raise UnsupportedError(f"column {name!r}: buffers of format {view.format!r}")
    return Buffers(f"{kind}{8 * view.itemsize}", len(view), _bytes(view))


def _bytes(view: memoryview) -> Any:
    flat = view if view.c_contiguous else memoryview(view.tobytes())
    return flat.cast("B") if len(view) else memoryview(b"")


def _from_numpy(name: str, data: Any, numpy: Any) -> Buffers:
    if data.ndim != 1:
        raise InvalidArgumentError(f"column {name!r}: expected one dimension, found {data.ndim}")
    kind = data.dtype.kind
    mask = None
    if isinstance(data, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(data)
        data = data.filled(data.dtype.type(0)) if kind in "iufb" else data.data
    if kind in "OUS":
        values = [None if mask is not None and mask[i] else value for i, value in enumerate(data.tolist())]
        return _from_values(name, values)
    if kind in "mM":
        return _from_moments(name, data, mask, numpy)
    if kind not in "iufb" or data.dtype.itemsize > 8 or data.dtype == numpy.float16:
        raise UnsupportedError(f"column {name!r}: numpy arrays of {data.dtype}")
    native = numpy.ascontiguousarray(data, dtype=data.dtype.newbyteorder("="))
    validity = None if mask is None else numpy.packbits(~mask, bitorder="little")
    column = "bool" if kind == "b" else f"{kind}{8 * data.dtype.itemsize}"
    return Buffers(column, len(data), _bytes(memoryview(native.view(f"u{native.itemsize}"))), None, validity)


def _from_moments(name: str, data: Any, mask: Any, numpy: Any) -> Buffers:
    unit, count = numpy.datetime_data(data.dtype)
    is_span = data.dtype.kind == "m"
    if count != 1 or unit not in _UNITS and (unit != "D" or is_span):
        raise UnsupportedError(f"column {name!r}: numpy arrays of {data.dtype}")
    native = data.astype(data.dtype.newbyteorder("="), copy=False)
    missing = numpy.isnat(native) if mask is None else numpy.isnat(native) | mask
    validity = numpy.packbits(~missing, bitorder="little") if missing.any() else None
    integers = numpy.ascontiguousarray(numpy.where(missing, 0, native.view("i8")))
    if unit == "D":
        days = integers.astype("i4")
        if (days != integers).any():
            raise UnsupportedError(f"column {name!r}: dates that do not fit 32 bits")
        return Buffers("date", len(data), _bytes(memoryview(days)), None, validity)
    if is_span:
        return Buffers("i64", len(data), _bytes(memoryview(integers)), None, validity, f"tD{unit[0]}")
    return Buffers(f"timestamp[{unit}]", len(data), _bytes(memoryview(integers)), None, validity)


def _from_values(name: str, values: list[Any]) -> Buffers:
    """A column of Python values, whose type is that of all that are not None."""
    present = [value for value in values if value is not None]
    validity = None if len(present) == len(values) else _validity(values)
    if all(isinstance(value, bool) for value in present):
        flags = bytes(bool(value) for value in values)
        return Buffers("bool", len(values), memoryview(flags), None, validity)
    if all(isinstance(value, str) for value in present):
        return _from_strings("utf8", [b"" if value is None else value.encode() for value in values], validity)
    if all(isinstance(value, (bytes, bytearray)) for value in present):
        return _from_strings("binary", [bytes(value or b"") for value in values], validity)
    try:
        return _from_numbers(values, present, validity)
    except (TypeError, OverflowError):
        kinds = sorted({type(value).__name__ for value in present})
        message = f"column {name!r}: no type holds values of {', '.join(kinds)}"
        raise InvalidArgumentError(message) from None


def _from_numbers(values: list[Any], present: list[Any], validity: Any) -> Buffers:
    import datetime

    import decimal

    if all(isinstance(value, datetime.datetime) for value in present):
        packed = _packed("timestamp[us]", "q", [_micros(value) for value in values], validity)
        return packed._replace(format=_zoned_format(present))
    if all(isinstance(value, datetime.time) for value in present):
        return _packed("time[us]", "q", [0 if value is None else _of_day(value) for value in values], validity)
    if all(isinstance(value, datetime.timedelta) for value in present):
        spans = [0 if value is None else _span(value) for value in values]
        return _packed("i64", "q", spans, validity)._replace(format="tDu")
    if all(isinstance(value, decimal.Decimal) for value in present):
        return _from_decimals(values, present, validity)
    if all(isinstance(value, datetime.date) for value in present):
        days = [0 if value is None else (value - datetime.date(1970, 1, 1)).days for value in values]
        return _packed("date", "i", days, validity)
    integers = all(hasattr(value, "__index__") and not isinstance(value, bool) for value in present)
    if integers:
        unsigned = any(int(value) >= 2**63 for value in present)
        numbers = [0 if value is None else int(value) for value in values]
        return _packed("u64" if unsigned else "i64", "Q" if unsigned else "q", numbers, validity)
    if any(isinstance(value, bool) or not hasattr(value, "__float__") or hasattr(value, "as_tuple") for value in present):
        raise TypeError
    return _packed("f64", "d", [0.0 if value is None else float(value) for value in values], validity)


def _from_decimals(values: list[Any], present: list[Any], validity: Any) -> Buffers:
    """Decimals with as many digits after the point as the longest has. 64 bits hold 18 digits."""
    import decimal

    if not all(value.is_finite() for value in present):
        raise TypeError
    scale = max([0, *(-value.as_tuple().exponent for value in present)])
    if scale > 18:
        raise OverflowError
    exact = decimal.Context(prec=60)
    scaled = [0 if value is None else int(exact.scaleb(value, scale)) for value in values]
    return _packed(f"decimal({scale})", "q", scaled, validity)


def _of_day(value: Any) -> int:
    """Microseconds since midnight."""
    if value.tzinfo is not None:
        raise TypeError
    return int(((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond)


def _span(value: Any) -> int:
    return int((value.days * 86_400 + value.seconds) * 10**6 + value.microseconds)


def _zoned_format(moments: list[Any]) -> str:
    """The time zone that all have, in Arrow's notation; UTC if they differ, nothing if none has one."""
    zones = {_zone_name(moment) for moment in moments}
    if zones == {""}:
        return ""
    return f"tsu:{zones.pop()}" if len(zones) == 1 else "tsu:UTC"


def _zone_name(moment: Any) -> str:
    import datetime

    zone = moment.tzinfo
    if zone is None:
        return ""
    if not isinstance(zone, datetime.timezone):
        return getattr(zone, "key", "UTC")
    minutes = int(zone.utcoffset(None).total_seconds()) // 60
    return "UTC" if minutes == 0 else f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _micros(value: Any) -> int:
    import datetime

    if value is None:
        return 0
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    since: datetime.timedelta = value - datetime.datetime(1970, 1, 1)
    return (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds


def _packed(kind: str, code: str, numbers: Sequence[Any], validity: Any) -> Buffers:
    packed = array(code, numbers)
    return Buffers(kind, len(packed), _bytes(memoryview(packed)), None, validity)


def _from_strings(kind: str, strings: list[bytes], validity: Any) -> Buffers:
    offsets = array("Q", [0])
    end = 0
    for string in strings:
        end += len(string)
        offsets.append(end)
    return Buffers(kind, len(strings), memoryview(b"".join(strings)), memoryview(offsets).cast("B"), validity)


def to_numpy(numpy: Any, kind: str, length: int, values: Any, validity: Any, nulls: Any, format: str = "") -> Any:
    """A numpy array of what the extension read. Nulls become `nulls`; "mask" makes a masked array. `format` is the type
    in Arrow, which knows durations."""
    missing = None
    if validity is not None:
        bits = numpy.frombuffer(validity, dtype="u1")
        missing = ~numpy.unpackbits(bits, count=length, bitorder="little").astype(bool)
        missing = missing if missing.any() else None
    made = _numpy_values(numpy, kind, length, values)
    if format.startswith("tD"):
        made = made.view(f"m8[{_UNITS['smun'.index(format[2])]}]")
    if missing is None:
        return made
    if isinstance(nulls, str) and nulls == "mask":
        return numpy.ma.MaskedArray(made, missing)
    return _filled(numpy, kind, made, missing, nulls)


def _numpy_values(numpy: Any, kind: str, length: int, values: Any) -> Any:
    if isinstance(values, tuple):
        return _numpy_strings(numpy, kind, length, *values)
    base = kind.rsplit(" ", 1)[-1] if kind.startswith("decimal") and " " in kind else kind
    if base in FORMATS:
        plain = numpy.frombuffer(values, dtype=FORMATS[base])
    else:
        plain = numpy.frombuffer(values, dtype={"bool": "?", "date": "i4"}.get(kind, "i8"))
    if kind.startswith("decimal"):
        scale = int(kind[8 : kind.index(")")])
        return plain / 10.0**scale
    if kind == "date":
        return plain.astype("i8").view("M8[D]")
    if kind.startswith("timestamp"):
        return plain.view(f"M8[{kind[10:-1]}]")
    if kind.startswith("time"):
        return plain.view(f"m8[{kind[5:-1]}]")
    return plain


def _numpy_strings(numpy: Any, kind: str, length: int, offsets: Any, data: Any) -> Any:
    made = numpy.empty(length, dtype=object)
    made[:] = _core.strings(offsets, data, None, kind == "utf8")
    return made


def _filled(numpy: Any, kind: str, made: Any, missing: Any, nulls: Any) -> Any:
    """Nulls as what the type has for them: NaN, NaT or None. Integers and booleans have nothing."""
    if made.dtype.kind in "iub" and nulls is None:
        raise InvalidArgumentError(f"numpy's {made.dtype} has no null: give nulls= a value, or nulls='mask'")
    filled = made.copy()
    if nulls is not None:
        filled[missing] = nulls
    elif made.dtype.kind == "f":
        filled[missing] = numpy.nan
    elif made.dtype.kind in "mM":
        filled[missing] = numpy.array("NaT", dtype=made.dtype)
    else:
        filled[missing] = None
    return filled
