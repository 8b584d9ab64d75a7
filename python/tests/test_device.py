# SPDX-License-Identifier: Apache-2.0
"""Tables in device memory by Arrow's device interface, and arrays that are encoded where they are. The emulator's
device memory is that of the host, so that pyarrow can look at it."""
from __future__ import annotations

import datetime
import decimal
import gc
from typing import Any

import pytest

import bobbin as bb

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

ROWS = 5000


pytestmark = pytest.mark.emulator


def table_of_everything() -> Any:
    rows = range(ROWS)
    day = datetime.date(2024, 1, 1)
    moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    columns = {
        "id": pa.array(rows, pa.int32()),
        "some": pa.array([None if i % 7 == 0 else i / 4 for i in rows], pa.float64()),
        "flag": pa.array([None if i % 5 == 0 else i % 3 == 0 for i in rows], pa.bool_()),
        "price": pa.array([None if i % 11 == 0 else decimal.Decimal(i - 2500) / 100 for i in rows], pa.decimal128(12, 2)),
        "day": pa.array([day + datetime.timedelta(days=i) for i in rows], pa.date32()),
        "when": pa.array([moment + datetime.timedelta(seconds=i) for i in rows], pa.timestamp("us", "UTC")),
        "at": pa.array([datetime.time(i % 24, i % 60) for i in rows], pa.time32("s")),
        "city": pa.array([None if i % 13 == 0 else f"city {i % 40}" for i in rows], pa.string()),
        "raw": pa.array([bytes([i % 256]) * (i % 5) for i in rows], pa.binary()),
        "small": pa.array([i % 200 for i in rows], pa.uint8()),
    }
    fields = [pa.field(name, values.type, values.null_count != 0 or name in ("city", "raw"))
              for name, values in columns.items()]
    return pa.table(list(columns.values()), schema=pa.schema(fields, metadata={"who": "we"}))


@pytest.fixture(scope="module")
def path(tmp_path_factory: Any) -> Any:
    at = tmp_path_factory.mktemp("device") / "t.bob"
    bb.write(table_of_everything(), at, rows_per_group=1024)
    return at


def test_a_table_is_an_arrow_device_array(path: Any) -> None:
    names = ["id", "some", "flag", "price", "day", "when", "at", "small"]
    scan = bb.open(path).scan(names)
    table = scan.to_device("emulator")
    batch = pa.record_batch(table)
    batch.validate(full=True)
    expected = table_of_everything().select(names)
    assert batch.schema.equals(expected.schema, check_metadata=True)
    assert pa.table(batch).equals(expected)
    assert pa.schema(table).equals(expected.schema)
    assert list(table) == names and len(table) == len(names) and "flag" in repr(table)
    # Without a copy, and valid for as long as somebody has it.
    assert batch["id"].buffers()[1].address == np.from_dlpack(table["id"]).ctypes.data
    del table, scan
    gc.collect()
    assert pa.table(batch).equals(expected)


def test_batches_have_strings(path: Any) -> None:
    scan = bb.open(path).scan(rows=slice(1000, 4000))
    batches = [pa.record_batch(table) for table in scan.device_batches("emulator")]
    assert [batch.num_rows for batch in batches] == [24, 1024, 1024, 928]
    for batch in batches:
        batch.validate(full=True)
    assert pa.Table.from_batches(batches).equals(table_of_everything().slice(1000, 3000))
    assert sum(1 for _ in bb.open(path).scan(limit=1500).device_batches("emulator")) == 2
    assert list(bb.open(path).scan(limit=0).device_batches("emulator")) == []
    with pytest.raises(bb.UnsupportedError, match='"city" holds strings of 5 row groups'):
        bb.open(path).scan().to_device("emulator")
    strings = bb.open(path).scan("city", rows=slice(1024, 2048)).to_device("emulator")["city"]
    assert len(strings) == 1024 and "1024 utf8" in repr(strings)
    offsets, data = np.from_dlpack(strings.offsets), np.from_dlpack(strings.bytes)
    assert bytes(data[offsets[1]:offsets[2]]) == b"city 25"
    assert strings.validity is not None and len(strings.validity) == 32


def test_requested_types(path: Any) -> None:
    table = bb.open(path).scan(["city", "price"], rows=slice(0, 1000)).to_device("emulator")
    wide = pa.schema([("city", pa.large_string()), ("price", pa.decimal128(30, 2))])
    batch = pa.RecordBatch._import_from_c_device_capsule(*table.__arrow_c_device_array__(wide.__arrow_c_schema__()))
    assert batch.schema.types == wide.types
    assert batch["city"].to_pylist() == table_of_everything()["city"].to_pylist()[:1000]
    with pytest.raises(bb.InvalidArgumentError, match="fields"):
        table.__arrow_c_device_array__(pa.schema([("city", pa.string())]).__arrow_c_schema__())
    with pytest.raises(NotImplementedError, match="new"):
        table.__arrow_c_device_array__(None, new=1)
    table.__arrow_c_device_array__(None, new=None)  # capsules dropped unread


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 1023, 1024])
def test_any_length(path: Any, length: int) -> None:
    batch = pa.record_batch(bb.open(path).scan(rows=slice(1024, 1024 + length)).to_device("emulator"))
    batch.validate(full=True)
    assert pa.table(batch).equals(table_of_everything().slice(1024, length))


@pytest.mark.parametrize("kind", ["u1", "i2", "u4", "i8", "f4", "f8"])
@pytest.mark.parametrize("codec", [None, "ffor"])
def test_arrays_are_encoded_where_they_are(kind: str, codec: str | None) -> None:
    values = (np.arange(3000) % 100).astype(kind)
    try:
        made = bb.encode(values, codec, device="emulator")
    except bb.UnsupportedError:
        assert codec == "ffor" and kind[0] == "f"
        return
    assert np.array_equal(made.to_numpy(), values) and made.nbytes < values.nbytes
    assert codec is None or made.encoding.startswith("ffor")
    assert bb.EncodedArray.from_bytes(bytes(made))[2999] == 99
    there = made.to_device("emulator")
    assert np.array_equal(bb.encode(there, codec, device="emulator").to_numpy(), values)
    assert np.array_equal(bb.encode(pa.array(values)[5:], codec, device="emulator").to_numpy(), values[5:])


class OnlyArrow:
    """An array of another library that has nothing but Arrow's device interface."""

    def __init__(self, values: Any) -> None:
        self._values = pa.array(values)

    def __arrow_c_device_array__(self, requested_schema: object = None, **options: Any) -> Any:
        return self._values.__arrow_c_device_array__(requested_schema)


def test_arrow_device_arrays_are_encoded() -> None:
    values = np.arange(2000) // 3
    assert np.array_equal(bb.encode(OnlyArrow(values), "delta", device="emulator").to_numpy(), values)
    with pytest.raises(bb.UnsupportedError, match="no nulls"):
        bb.encode(OnlyArrow([1, None, 3]), device="emulator")
    with pytest.raises(bb.InvalidArgumentError, match="host memory"):
        bb.encode(OnlyArrow(values))
    with pytest.raises(bb.InvalidArgumentError, match="2 columns"):
        bb.encode(OnlyArrow([{"a": 1, "b": 2}]), device="emulator")


class OnlyInterface:
    def __init__(self, **changes: Any) -> None:
        self.__cuda_array_interface__ = {"shape": (3,), "typestr": "<i8", "data": (64, False), "version": 3, **changes}


def test_arrays_of_the_gpu_are_checked_first() -> None:
    for wrong, error in (({"typestr": "<c8"}, bb.UnsupportedError), ({"shape": (3, 3)}, bb.InvalidArgumentError),
                         ({"strides": (16,)}, bb.InvalidArgumentError), ({"mask": 1}, bb.InvalidArgumentError)):
        with pytest.raises(error):
            bb.encode(OnlyInterface(**wrong))
    if not bb.devices():
        with pytest.raises(bb.UnavailableError):
            bb.encode(OnlyInterface())
    with pytest.raises(bb.InvalidArgumentError, match="device"):
        bb.encode(np.arange(3), device="somewhere")
    with pytest.raises(bb.InvalidArgumentError, match="one dimension"):
        bb.encode(np.zeros((3, 3)), device="emulator")
    with pytest.raises(BufferError, match="nulls"):
        nulls: Any = bb.encode(np.arange(3)).to_device("emulator")
        nulls._validity = nulls
        bb.encode(nulls, device="emulator")
