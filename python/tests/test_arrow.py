# SPDX-License-Identifier: Apache-2.0
"""To and from Arrow: types, slices, lifetimes, memory."""
from __future__ import annotations

import ctypes
import datetime
import decimal
import gc
import os
import pathlib
from typing import Any

import pytest

import bobbin as bb

pa = pytest.importorskip("pyarrow")

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12, 0, 1)
SAMPLES: dict[str, tuple[Any, list[Any]]] = {
    **{f"{sign}int{bits}": (getattr(pa, f"{sign}int{bits}")(), [0, 1, 100]) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": (pa.float32(), [0.5, -0.0, float("inf")]),
    "float64": (pa.float64(), [0.1, -1e300, 5e-324]),
    "bool": (pa.bool_(), [True, False, True]),
    "date32": (pa.date32(), [DAY, DAY, datetime.date(1, 1, 1)]),
    "date64": (pa.date64(), [DAY, DAY, datetime.date(1960, 1, 1)]),
    **{f"timestamp_{unit}": (pa.timestamp(unit), [NOON, NOON, NOON]) for unit in ("s", "ms", "us", "ns")},
    "zoned": (pa.timestamp("us", "Europe/Berlin"), [NOON, NOON, NOON]),
    **{f"time_{unit}": ((pa.time32 if "m" in unit or unit == "s" else pa.time64)(unit), [datetime.time(1, 2, 3)] * 3)
       for unit in ("s", "ms")},
    "time_us": (pa.time64("us"), [datetime.time(23, 59, 59, 999999)] * 3),
    "time_ns": (pa.time64("ns"), [datetime.time(0, 0, 1)] * 3),
    "duration": (pa.duration("ms"), [datetime.timedelta(seconds=-5)] * 3),
    "decimal": (pa.decimal128(30, 4), [decimal.Decimal("1.2345"), decimal.Decimal("-99999.0001"), decimal.Decimal(0)]),
    "string": (pa.string(), ["", "é", "x" * 300]),
    "large_string": (pa.large_string(), ["", "é", "x" * 300]),
    "binary": (pa.binary(), [b"", b"\xff\x00", b"x" * 300]),
    "large_binary": (pa.large_binary(), [b"", b"\xff\x00", b"x" * 300]),
}


def column(kind: str, nulls: str, length: int) -> Any:
    data_type, values = SAMPLES[kind]
    rows = [values[i % 3] for i in range(length)]
    if nulls == "all":
        rows = [None] * length
    elif nulls == "some":
        rows = [None if i % 5 == 2 else value for i, value in enumerate(rows)]
    return pa.array(rows, data_type)


@pytest.mark.parametrize("nulls", ["none", "some", "all"])
@pytest.mark.parametrize("length", [0, 1, 1023, 1024, 1025])
def test_types_come_back(tmp_path: pathlib.Path, nulls: str, length: int) -> None:
    table = pa.table({kind: column(kind, nulls, length) for kind in SAMPLES})
    bb.write(table, tmp_path / "t.bob", rows_per_group=512)
    f = bb.open(tmp_path / "t.bob")
    assert f.to_arrow().schema == table.schema
    assert f.to_arrow().equals(table)
    assert pa.schema(f) == table.schema
    f.to_arrow().validate(full=True)


@pytest.mark.parametrize("offset", [1, 3, 8, 13])
def test_slices_are_written(tmp_path: pathlib.Path, offset: int) -> None:
    table = pa.table({kind: column(kind, "some", 200) for kind in SAMPLES}).slice(offset, 150)
    bb.write(table, tmp_path / "t.bob")
    assert bb.open(tmp_path / "t.bob").to_arrow().equals(table)


def test_batches_and_requests(tmp_path: pathlib.Path) -> None:
    table = pa.table({"x": range(3000), "s": [str(i) for i in range(3000)]})
    bb.write(table, tmp_path / "t.bob", rows_per_group=1024)
    f = bb.open(tmp_path / "t.bob")
    assert [len(batch) for batch in f.scan().batches()] == [1024, 1024, 952]
    assert max(len(batch) for batch in f.scan(batch_rows=100).batches()) == 100
    large = pa.schema({"x": pa.int64(), "s": pa.large_string()})
    assert pa.RecordBatchReader.from_stream(f, schema=large).schema == large
    assert f.scan(["s", "x"]).to_arrow().column_names == ["s", "x"]
    assert f.scan([]).to_arrow().num_rows in (0, 3000)
    assert f.scan(where="x >= 2990").to_arrow()["s"].to_pylist() == [str(i) for i in range(2990, 3000)]


def test_dictionaries_views_and_nulls_are_converted(tmp_path: pathlib.Path) -> None:
    table = pa.table({
        "d": pa.array(["a", "b", None, "a"]).dictionary_encode(),
        "v": pa.array(["short", "a string longer than twelve bytes", None, ""], pa.string_view()),
        "f": pa.array([b"ab", None, b"cd", b"ef"], pa.binary(2)),
        "n": pa.nulls(4),
        "w": pa.array([decimal.Decimal("1.5")] * 4, pa.decimal256(40, 2)),
    })
    bb.write(table, tmp_path / "t.bob")
    made = bb.open(tmp_path / "t.bob").to_arrow()
    for name in table.column_names:
        assert made[name].to_pylist() == table[name].to_pylist(), name


def test_types_without_a_column(tmp_path: pathlib.Path) -> None:
    for data_type in (pa.list_(pa.int64()), pa.struct({"a": pa.int64()}), pa.month_day_nano_interval()):
        with pytest.raises(NotImplementedError, match="odd one"):
            bb.write(pa.table({"odd one": pa.array([None], data_type)}), tmp_path / "t.bob")
    with pytest.raises(NotImplementedError, match="64 bits"):
        bb.write(pa.table({"x": [decimal.Decimal(10**25)]}), tmp_path / "t.bob")


def test_metadata_of_pandas_survives(tmp_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1, 2], "s": ["a", None]}, index=pandas.Index([5, 7], name="row"))
    bb.write(pa.Table.from_pandas(frame), tmp_path / "t.bob")
    pandas.testing.assert_frame_equal(bb.open(tmp_path / "t.bob").to_pandas(), frame)


def test_arrays_and_writers(tmp_path: pathlib.Path) -> None:
    batch = pa.record_batch({"x": [1, 2, None]})
    assert bb.write(pa.StructArray.from_arrays([batch["x"]], ["x"]), tmp_path / "a.bob") == 3
    with bb.Writer(tmp_path / "w.bob", batch.schema) as writer:
        writer.append(batch)
        writer.append(pa.table(batch))
        with pytest.raises(bb.InvalidArgumentError):
            writer.append(pa.record_batch({"y": [1]}))
    assert bb.open(tmp_path / "w.bob").to_arrow()["x"].to_pylist() == [1, 2, None] * 2
    bb.write(bb.open(tmp_path / "w.bob").scan(where="x = 2"), tmp_path / "again.bob")
    assert bb.open(tmp_path / "again.bob").num_rows == 2
    with pytest.raises(ValueError, match="table"):
        bb.write(pa.array([1]), tmp_path / "no.bob")


def test_lifetimes(plain: pathlib.Path) -> None:
    f = bb.open(plain)
    stream = f.__arrow_c_stream__()
    schema = f.__arrow_c_schema__()
    del stream, schema  # never read
    reader = f.scan("id").reader()
    f.close()
    del f
    gc.collect()
    table = reader.read_all()
    del reader
    gc.collect()
    assert table["id"].to_pylist() == list(range(len(table)))


def test_a_stream_is_read_once(plain: pathlib.Path) -> None:
    class Once:
        def __init__(self, capsule: object) -> None:
            self.capsule = capsule

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    once = Once(bb.open(plain).__arrow_c_stream__())
    pa.RecordBatchReader.from_stream(once).read_all()
    with pytest.raises(ValueError):
        bb.write(once, plain.with_name("twice.bob"))


def test_a_stream_is_appended_once(tmp_path: pathlib.Path) -> None:
    table = pa.table({"x": [1, 2]})

    class Same:
        capsule = table.__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    with bb.Writer(tmp_path / "w.bob", table.schema) as writer:
        writer.append(Same())
        for _ in range(2):
            with pytest.raises(bb.InvalidArgumentError, match="released"):
                writer.append(Same())
    assert bb.open(tmp_path / "w.bob").num_rows == 2


class MadeStream(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "own")]


RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(MadeStream))(lambda stream: setattr(stream[0], "release", None))
SUCCEED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda stream, out: 0)
FAIL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda stream, out: 5)


@pytest.mark.parametrize("functions", [
    {}, {"get_schema": SUCCEED}, {"get_next": SUCCEED}, {"get_schema": SUCCEED, "get_next": SUCCEED},
    {"get_schema": FAIL, "get_next": SUCCEED},
])
def test_streams_that_lack_something(tmp_path: pathlib.Path, functions: dict[str, Any]) -> None:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    streams = []

    class Lacking:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            streams.append(MadeStream(release=ctypes.cast(RELEASE, ctypes.c_void_p)))
            for name, function in functions.items():
                setattr(streams[-1], name, ctypes.cast(function, ctypes.c_void_p))
            capsule: object = new(ctypes.addressof(streams[-1]), b"arrow_array_stream", None)
            return capsule

    with bb.Writer(tmp_path / "w.bob", {"x": "i64"}) as writer:
        with pytest.raises((bb.InvalidArgumentError, bb.FileError)):
            writer.append(Lacking())
    with pytest.raises((bb.InvalidArgumentError, bb.FileError)):
        bb.write(Lacking(), tmp_path / "v.bob")
    assert [stream.release for stream in streams] == [None, None]


def test_a_closed_writer_keeps_nothing(tmp_path: pathlib.Path) -> None:
    writer = bb.Writer(tmp_path / "w.bob", pa.schema({"x": pa.int64()}))
    writer.close()
    before = pa.total_allocated_bytes()
    batch = pa.record_batch({"x": pa.array(range(100_000))})
    with pytest.raises(bb.InvalidArgumentError, match="closed"):
        writer.append(batch)
    del batch
    gc.collect()
    assert pa.total_allocated_bytes() == before


@pytest.mark.parametrize("how", ["bytes", "descriptor", "file object"])
def test_a_stream_outlives_the_descriptor(plain: pathlib.Path, how: str) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = open_files()
    number = os.open(plain, os.O_RDONLY)
    stream = plain.open("rb")
    file = bb.open({"bytes": plain.read_bytes(), "descriptor": number, "file object": stream}[how])
    reader = file.scan("id").reader()
    file.close()
    stream.close()
    os.close(number)
    del file, stream
    gc.collect()
    others = [os.open("/dev/null", os.O_RDONLY) for _ in range(4)]  # they get the numbers of those that were closed
    try:
        assert reader.read_all()["id"].to_pylist() == list(range(5000))
    finally:
        for other in others:
            os.close(other)
    del reader
    gc.collect()
    assert open_files() == before


def test_requests_of_other_types_are_ignored(tmp_path: pathlib.Path) -> None:
    table = pa.table({"d": pa.array([decimal.Decimal("1.25")], pa.decimal128(9, 2))})
    bb.write(table, tmp_path / "d.bob")
    for wanted in (pa.int64(), pa.string(), pa.bool_(), pa.date32()):
        capsule = bb.open(tmp_path / "d.bob").__arrow_c_stream__(pa.schema({"d": wanted}).__arrow_c_schema__())
        stream = type("Stream", (), {"__arrow_c_stream__": lambda self, requested_schema=None: capsule})()
        assert pa.table(stream) == table


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
def test_negative_indices_of_dictionaries(tmp_path: pathlib.Path, kind: str) -> None:
    indices = pa.array([0, -1], getattr(pa, kind)())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(range(70_000)), safe=False)
    with pytest.raises(bb.InvalidArgumentError, match="dictionary"):
        bb.write(pa.table({"x": column}), tmp_path / "x.bob")


def test_types_come_back_beside_much_metadata(tmp_path: pathlib.Path) -> None:
    schema = pa.schema({"t": pa.timestamp("us", "Europe/Berlin")}, {str(i): "x" for i in range(1100)})
    bb.write(pa.table({"t": [1]}, schema=schema), tmp_path / "m.bob")
    assert bb.open(tmp_path / "m.bob").to_arrow().schema.field("t").type == pa.timestamp("us", "Europe/Berlin")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_numpy_moments(tmp_path: pathlib.Path, order: str, unit: str) -> None:
    numpy = pytest.importorskip("numpy")
    moments = numpy.array(["2024-01-01", "NaT", "1969-12-31", "2000-02-29"], f"M8[{unit}]")
    given = numpy.ma.MaskedArray(moments.astype(f"{order}M8[{unit}]"), [0, 0, 0, 1])
    bb.write({"all": given.data, "masked": given}, tmp_path / "t.bob")
    made = bb.open(tmp_path / "t.bob").to_numpy()
    assert numpy.array_equal(made["all"], moments, equal_nan=True)
    assert numpy.isnat(made["masked"]).tolist() == [False, True, False, True]
    assert (made["masked"][::2] == moments[::2]).all()


@pytest.mark.parametrize("kind", ["i2", "i4", "i8", "u2", "u4", "u8", "f4", "f8", "U3"])
def test_numpy_of_the_other_byte_order(tmp_path: pathlib.Path, kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    values = numpy.array([1, 2, 100]).astype(f">{kind}")
    bb.write({"x": values, "m": numpy.ma.MaskedArray(values, [0, 1, 0])}, tmp_path / "t.bob")
    made = bb.open(tmp_path / "t.bob").to_numpy(nulls="mask")
    assert made["x"].tolist() == values.tolist() and made["m"].tolist() == [values[0], None, values[2]]


def resident() -> int:
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_memory_stays_flat(plain: pathlib.Path) -> None:
    f = bb.open(plain)

    def use() -> None:
        f.scan(where="id > 100").to_arrow()
        f.scan().group_counts("city")
        f.__arrow_c_stream__()
        bb.open(plain).scan("id").to_numpy()

    pytest.importorskip("numpy")
    for _ in range(30):
        use()
    gc.collect()
    before = resident()
    for _ in range(200):
        use()
    gc.collect()
    assert resident() - before < 10 << 20


def test_numpy(tmp_path: pathlib.Path, plain: pathlib.Path) -> None:
    numpy = pytest.importorskip("numpy")
    columns = {
        "i": numpy.arange(5, dtype=">i4"), "f": numpy.linspace(0, 1, 10)[::2], "b": numpy.array([1, 0, 1, 1, 0], bool),
        "t": numpy.array(["2024-01-01", "NaT", "2024-01-03", "1969-12-31", "2000-01-01"], "M8[ms]"),
        "d": numpy.array(["2024-01-01"] * 5, "M8[D]"), "s": numpy.array(["a", "é", "", "x", "y"]),
        "m": numpy.ma.MaskedArray(numpy.arange(5), [0, 1, 0, 0, 1]),
    }
    bb.write(columns, tmp_path / "n.bob")
    made = bb.open(tmp_path / "n.bob").to_numpy(nulls="mask")
    for name, wanted in columns.items():
        assert (numpy.ma.getmaskarray(made[name]) == (numpy.ma.getmaskarray(wanted) | numpy.isnat(wanted) if name == "t"
                                                     else numpy.ma.getmaskarray(wanted))).all()
        assert numpy.ma.allequal(made[name], numpy.ma.MaskedArray(wanted, numpy.ma.getmaskarray(made[name]))), name
    f = bb.open(plain)
    assert f.scan("maybe").to_numpy(nulls=-1)["maybe"][:2].tolist() == [-1, 1]
    with pytest.raises(ValueError, match="nulls="):
        f.scan("maybe").to_numpy()
    assert f.scan("price", where="id = 3").to_numpy()["price"].tolist() == [0.75]
    assert numpy.array_equal(bb.encode(columns["f"]).to_numpy(), columns["f"])
    for wrong in (numpy.zeros((2, 2)), numpy.zeros(2, "c8"), numpy.zeros(2, "f2"), numpy.zeros(2, "M8[Y]")):
        with pytest.raises((ValueError, NotImplementedError)):
            bb.write({"x": wrong}, tmp_path / "wrong.bob")
