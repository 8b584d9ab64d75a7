# SPDX-License-Identifier: Apache-2.0
"""What goes in comes out the same through every door: lists, arrays, Arrow, aggregates, group keys, filters."""
from __future__ import annotations

import datetime
import decimal
import io
import mmap
import pathlib
import subprocess
import sys
import uuid
import zoneinfo
from typing import Any

import pytest

import bobbin as bb

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
D = decimal.Decimal
MOMENTS = [datetime.datetime(2024, 7, 1, 12, tzinfo=BERLIN), None, datetime.datetime(2024, 1, 1, 12, 30, tzinfo=BERLIN)]
SPANS = [datetime.timedelta(hours=1), None, datetime.timedelta(microseconds=-5)]


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    bb.write({
        "cost": [D("1.25"), None, D("-3.5")],
        "at": [datetime.time(1, 2, 3, 4), None, datetime.time(23, 59)],
        "span": SPANS,
        "when": MOMENTS,
        "naive": [datetime.datetime(2024, 7, 1, 12), None, datetime.datetime(2024, 1, 1)],
    }, tmp_path / "t.bob")
    return tmp_path / "t.bob"


def test_lists_of_python_values(path: pathlib.Path) -> None:
    f = bb.open(path)
    assert [field.type for field in f.schema] == ["decimal(2) i64", "time[us]", "i64", "timestamp[us]", "timestamp[us]"] or \
        [field.type for field in f.schema] == ["decimal(2)", "time[us]", "i64", "timestamp[us]", "timestamp[us]"]
    assert f.scan().aggregate(a=bb.min("cost"), b=bb.max("at"), c=bb.min("span"), d=bb.max("when"), e=bb.max("naive")) == {
        "a": D("-3.5"), "b": datetime.time(23, 59), "c": SPANS[2], "d": MOMENTS[0], "e": datetime.datetime(2024, 7, 1, 12)}
    assert f.scan().sum("span") == datetime.timedelta(microseconds=3_600_000_000 - 5)
    assert f.scan().aggregate(n=bb.count("span"), d=bb.count_distinct("span")) == {"n": 2, "d": 2}
    for wrong in ([D("1e-19")], [D(10) ** 30], [D("nan")], [D(1), 2.5], [datetime.time(1), datetime.date(2024, 1, 1)]):
        with pytest.raises(bb.InvalidArgumentError):
            bb.write({"x": wrong}, path, overwrite=True)


def test_zones_and_durations_are_the_same_through_every_door(path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    numpy = pytest.importorskip("numpy")
    for data in (bb.open(path), bb.dataset([path])):
        table = data.to_arrow()
        assert table.schema.field("span").type == pa.duration("us")
        assert table.schema.field("when").type == pa.timestamp("us", "Europe/Berlin")
        assert table["when"].to_pylist() == MOMENTS and table["span"].to_pylist() == SPANS
        assert table["cost"].to_pylist() == [D("1.25"), None, D("-3.50")]
        arrays = data.scan(["span", "when"]).to_numpy()
        assert arrays["span"].dtype == numpy.dtype("m8[us]") and numpy.isnat(arrays["span"][1])
        assert arrays["span"].tolist()[0] == SPANS[0]
        assert arrays["when"].tolist()[0] == datetime.datetime(2024, 7, 1, 10)  # numpy has no zones: UTC
        assert data.scan().group_counts("when") == {moment: 1 for moment in MOMENTS}
        assert {type(key) for key in data.scan().group_counts("span")} == {datetime.timedelta, type(None)}
        rows = data.scan().group_by("when", order="when", longest=bb.max("span"))
        assert str(rows[1]["when"].tzinfo) == "Europe/Berlin" and rows[2]["longest"] == SPANS[0]
        for where in (bb.col("span") > datetime.timedelta(0), [("span", "==", SPANS[0])], bb.col("when") == MOMENTS[0],
                      bb.col("span") == numpy.timedelta64(3600, "s"), bb.col("span").isin([SPANS[0]]),
                      bb.col("span").between(datetime.timedelta(0), datetime.timedelta(days=1)) & bb.col("cost").is_not_null()):
            assert data.scan(where=where).to_arrow().num_rows == 1, where
    with pytest.raises(bb.InvalidArgumentError, match="'cost' has no durations"):
        bb.open(path).scan(where=bb.col("cost") > datetime.timedelta(0))


def test_timedeltas_between_two_values_of_a_column(tmp_path: pathlib.Path) -> None:
    numpy = pytest.importorskip("numpy")
    bb.write({"x": numpy.array([-2, -1, 0, 1, 2, "NaT"], "m8[s]")}, tmp_path / "t.bob")
    f = bb.open(tmp_path / "t.bob")
    half = datetime.timedelta(milliseconds=500)
    assert [f.scan(where=bb.col("x") > limit).count() for limit in (half, -half, 0 * half, 3 * half)] == [2, 3, 2, 1]
    assert f.scan(where=bb.col("x") == half).count() == 0
    assert f.scan(where=bb.col("x") <= -half).count() == 2
    assert f.to_numpy()["x"].dtype == numpy.dtype("m8[s]")
    assert f.scan().min("x") == datetime.timedelta(seconds=-2)


def test_typed_writers_take_times(tmp_path: pathlib.Path) -> None:
    with bb.Writer(tmp_path / "t.bob", {"t": "time[ms]"}) as writer:
        writer.append({"t": [datetime.time(0, 0, 1), None]})
        with pytest.raises(bb.InvalidArgumentError):
            writer.append({"t": [datetime.time(0, 0, 0, 1)]})  # not a whole number of milliseconds
    assert bb.open(tmp_path / "t.bob").scan().max("t") == datetime.time(0, 0, 1)


# ---- Arrow ----


def test_types_come_back(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    ids = [uuid.UUID(int=i) for i in range(3)]
    table = pa.table({
        "id": pa.array([one.bytes for one in ids], pa.uuid()) if hasattr(pa, "uuid") else pa.array([0, 1, 2]),
        "fixed": pa.array([b"abc", None, b"def"], pa.binary(3)),
        "noted": pa.array([1, 2, 3]),
        "flag": pa.array([True, None, False]).cast(pa.int8()),
    })
    table = table.cast(pa.schema([field.with_metadata({"who": "we", "": "\x00"}) if field.name == "noted" else field for field in table.schema]))
    bb.write(table, tmp_path / "t.bob", rows_per_group=2)
    f = bb.open(tmp_path / "t.bob")
    found = f.to_arrow()
    assert found.schema.equals(table.schema, check_metadata=True) and found == table
    assert pa.table(f).schema.field("noted").metadata == {b"who": b"we", b"": b"\x00"}
    assert f.scan(where=bb.col("fixed") == b"abc").count() == 1
    with bb.Writer(tmp_path / "u.bob", table.schema) as writer:
        writer.append(table.slice(1))
    assert bb.open(tmp_path / "u.bob").to_arrow() == table.slice(1)
    bb.write(f, tmp_path / "v.bob")
    assert bb.open(tmp_path / "v.bob").to_arrow().schema.equals(table.schema, check_metadata=True)


def test_extensions_whose_storage_is_converted_come_back_as_storage(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    if not hasattr(pa, "json_"):
        pytest.skip("this pyarrow has no JSON type")
    views = pa.array(['{"a": 1}'], pa.string_view())
    table = pa.table({"j": pa.ExtensionArray.from_storage(pa.json_(pa.string_view()), views)})
    bb.write(table, tmp_path / "t.bob")
    assert bb.open(tmp_path / "t.bob").to_arrow()["j"].to_pylist() == ['{"a": 1}']
    kept = pa.table({"j": pa.array(['{"a": 1}'], pa.json_(pa.large_string()))})
    bb.write(kept, tmp_path / "u.bob")
    assert bb.open(tmp_path / "u.bob").to_arrow().schema == kept.schema


def test_polars_frames(tmp_path: pathlib.Path) -> None:
    pl = pytest.importorskip("polars")
    bb.write(pl.DataFrame({"a": [1, 2], "nothing": [None, None]}), tmp_path / "t.bob")
    assert bb.open(tmp_path / "t.bob").scan(where=bb.col("nothing").is_null()).count() == 2
    with pytest.raises(bb.UnsupportedError, match="'o'.*Python objects"):
        bb.write(pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)}), tmp_path / "u.bob")
    assert not (tmp_path / "u.bob").exists()
    frame = pl.DataFrame({"e": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), "c": pl.Series(["x", "x"], dtype=pl.Categorical)})
    bb.write(frame, tmp_path / "v.bob")
    assert bb.open(tmp_path / "v.bob").to_polars()["e"].to_list() == ["b", "a"]


def test_categories_come_back(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    path = tmp_path / "t.bob"
    sizes = pandas.CategoricalDtype(["small", "large", "unused"], ordered=True)
    frame = pandas.DataFrame({"size": pandas.Categorical(["large", None, "small"], dtype=sizes), "x": [1, 2, 3]})
    bb.write(frame, path)
    pandas.testing.assert_frame_equal(bb.open(path).to_pandas(), frame)
    assert bb.open(path).scan(where=bb.col("size") == "large").count() == 1
    ours = bb.dataset([path, path]).to_pandas()
    assert ours["size"].dtype == sizes and ours["size"].to_list()[3] == "large"
    table = pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int32()), ["b", "a"]), "n": [1, 2, 3]})
    bb.write(table, path, overwrite=True)
    assert bb.open(path).to_arrow() == table and bb.open(path).to_arrow().schema == table.schema
    assert bb.open(path).scan(["n", "c"], bb.col("c") == "a").to_arrow()["c"].to_pylist() == ["a"]
    enums = pl.DataFrame({"e": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a", "z"]))})
    bb.write(enums, path, overwrite=True)
    assert bb.open(path).to_polars().equals(enums) and bb.open(path).to_polars().schema == enums.schema
    # A note that does not fit the values is ignored.
    for note in (b'{"s": {"values": ["x"], "ordered": false}}', b"{", b"[]", b'{"s": {"values": ["a", "a"], "ordered": false}}',
                 b'{"s": 5}', b'{"n": {"values": ["a"], "ordered": true}}'):
        bb.write({"s": ["a", None], "n": [1, 2]}, path, overwrite=True, metadata={"bobbin.categories": note})
        assert bb.open(path).to_arrow()["s"].to_pylist() == ["a", None] and bb.open(path).to_polars()["s"].to_list() == ["a", None]


def test_rows_without_columns_are_refused(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(bb.UnsupportedError, match="3 rows"):
        bb.write(pa.table({"a": [1, 2, 3]}).select([]), tmp_path / "t.bob")
    assert not (tmp_path / "t.bob").exists()


def test_strings_become_numpy_objects(tmp_path: pathlib.Path) -> None:
    numpy = pytest.importorskip("numpy")
    bb.write({"s": ["a", "", None, "\u00e4\u4e2d\U0001f600"], "b": [b"\x00", None, b"", b"\xff"]}, tmp_path / "t.bob")
    arrays = bb.open(tmp_path / "t.bob").to_numpy()
    assert arrays["s"].dtype == numpy.dtype(object)
    assert arrays["s"].tolist() == ["a", "", None, "\u00e4\u4e2d\U0001f600"] and arrays["b"].tolist() == [b"\x00", None, b"", b"\xff"]
    bb.write({"s": []}, tmp_path / "e.bob")
    with bb.Writer(tmp_path / "f.bob", {"s": "utf8"}) as writer:
        writer.append({"s": []})
    assert bb.open(tmp_path / "f.bob").to_numpy()["s"].tolist() == []


# ---- Sources and targets ----


def test_sources(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = plain.read_bytes()
    expected = bb.open(plain).scan().sum("id")
    moved = io.BytesIO(data)
    moved.read(7)  # the whole file is meant, wherever the object is
    sources: list[Any] = [data, bytearray(data), memoryview(data), io.BytesIO(data), moved]
    with plain.open("rb") as file, plain.open("rb", buffering=0) as raw, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for source in (*sources, file, raw, mapped, file.fileno()):
            assert bb.open(source).scan().sum("id") == expected, source
    import gzip

    with gzip.open(tmp_path / "t.gz", "wb") as packed:
        packed.write(data)
    with gzip.open(tmp_path / "t.gz") as packed:
        assert bb.open(packed).scan().sum("id") == expected
    with pytest.raises(bb.InvalidArgumentError, match="binary"):
        bb.open(io.StringIO("text"))
    for wrong in (None, 1.5, object(), True):
        with pytest.raises(bb.InvalidArgumentError, match="expected a path"):
            bb.open(wrong)
    with pytest.raises(bb.CorruptError):
        bb.open(io.BytesIO(b"not a file"))


def test_sources_of_other_libraries(plain: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    data = plain.read_bytes()
    sources = [pa.py_buffer(data), pa.BufferReader(data), pa.OSFile(str(plain)), pa.memory_map(str(plain))]
    numpy = pytest.importorskip("numpy")
    sources.append(numpy.frombuffer(data, "u1"))
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/plain.bob", data)
    sources.append(memory.open("/plain.bob", "rb"))
    for source in sources:
        assert bb.open(source).num_rows == 5000, source


def test_file_objects_as_targets(tmp_path: pathlib.Path) -> None:
    target = io.BytesIO()
    assert bb.write({"x": [1, 2, 3]}, target) == 3
    assert bb.open(target).scan().sum("x") == 6
    with (tmp_path / "t.bob").open("wb") as file:
        bb.write({"x": [4]}, file)
    assert bb.open(tmp_path / "t.bob").scan().sum("x") == 4


# ---- Arguments ----


@pytest.mark.parametrize("options, said", [
    ({"limit": 1.5}, "limit= takes a whole number, found 1.5"), ({"limit": -1}, "limit= is -1"),
    ({"threads": -1}, "threads= is -1"), ({"batch_rows": 0}, "batch_rows= is 0"), ({"row_groups": ["a"]}, "row_groups="),
    ({"columns": [0]}, "columns= takes names of columns, found 0"), ({"columns": [bb.col("x") * 2]}, "columns="),
])
def test_wrong_arguments_of_scans(plain: pathlib.Path, options: dict[str, Any], said: str) -> None:
    for data in (bb.open(plain), bb.dataset([plain])):
        if "row_groups" in options and isinstance(data, bb.Dataset):
            continue
        with pytest.raises(bb.InvalidArgumentError, match=said.replace("(", "\\(")):
            data.scan(**options)
    assert bb.open(plain).scan(bb.col("id")).schema[0].name == "id"


def test_wrong_arguments_of_writers(tmp_path: pathlib.Path) -> None:
    for options in ({"threads": -1}, {"threads": "x"}, {"rows_per_group": 0}):
        with pytest.raises(bb.InvalidArgumentError):
            bb.write({"x": [1]}, tmp_path / "t.bob", **options)  # type: ignore[arg-type]


def test_order_by_the_name_of_an_aggregate(plain: pathlib.Path) -> None:
    for data in (bb.open(plain), bb.dataset([plain])):
        rows = data.scan().group_by("city", order="n desc, city", n=bb.count(), total=bb.sum(bb.col("id") * 0.5))
        assert [row["n"] for row in rows] == sorted((row["n"] for row in rows), reverse=True)
        rows = data.scan().group_by("city", order="total", limit=2, n=bb.count(), total=bb.sum(bb.col("id") * 0.5))
        assert rows[0]["total"] <= rows[1]["total"]
        with pytest.raises(bb.InvalidArgumentError):
            data.scan().group_by("city", order="nothing", n=bb.count())


def test_max_groups(tmp_path: pathlib.Path) -> None:
    bb.write({"x": list(range(5000))}, tmp_path / "t.bob", rows_per_group=1000)
    for data in (bb.open(tmp_path / "t.bob"), bb.dataset(tmp_path)):
        with pytest.raises(bb.UnsupportedError, match="groups"):
            data.scan().group_by("x", max_groups=4999, n=bb.count())
        assert len(data.scan().group_by("x", max_groups=5000, n=bb.count())) == 5000
        assert len(data.scan().group_counts("x", max_groups=5000)) == 5000


# ---- Errors ----


@pytest.fixture
def damaged(tmp_path: pathlib.Path) -> pathlib.Path:
    bb.write({"x": [i * 7919 % 10007 for i in range(20_000)], "s": [f"text {i * 31 % 977}" for i in range(20_000)]},
             tmp_path / "t.bob", rows_per_group=5000)
    data = bytearray((tmp_path / "t.bob").read_bytes())
    for i in range(3000, 3200):
        data[i] ^= 0x55
    (tmp_path / "bad.bob").write_bytes(data)
    return tmp_path / "bad.bob"


def test_damage_is_a_corrupt_error_through_every_door(damaged: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    f, many = bb.open(damaged), bb.dataset([damaged])
    doors: list[Any] = [f.to_arrow, f.to_pandas, f.to_polars, f.to_numpy, f.verify, lambda: list(f.scan().batches()),
                        lambda: f.scan().reader().read_all(), lambda: f.dataset().to_table(), lambda: f.dataset().head(20_000),
                        lambda: list(f.dataset().to_batches()), lambda: f.take(list(range(20_000))),
                        lambda: bb.write(f, damaged.parent / "copy.bob"), lambda: bb.convert(damaged, damaged.parent / "copy.parquet"),
                        many.to_arrow, many.to_polars, lambda: list(many.scan().batches()), lambda: many.scan().reader().read_all(),
                        lambda: many.dataset().to_table()]
    for number, door in enumerate(doors):
        with pytest.raises(bb.CorruptError, match="bad.bob"):
            door()
        assert number >= 0
    with pytest.raises((bb.CorruptError, pl.exceptions.ComputeError), match="bad.bob"):
        f.lazy().collect()
    with pytest.raises(ValueError, match="bad.bob"):  # what others read through Arrow's own interface
        pa.table(f)
    assert sorted(path.name for path in damaged.parent.iterdir()) == ["bad.bob", "t.bob"]


def test_missing_packages_are_named(plain: pathlib.Path) -> None:
    code = (
        "import sys\n"
        "class No:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('pyarrow', 'numpy', 'polars', 'pandas', 'duckdb'): raise ImportError('not here')\n"
        "sys.meta_path.insert(0, No())\n"
        "import bobbin as bb\n"
        f"f = bb.open({str(plain)!r})\n"
        "doors = [f.to_arrow, f.to_pandas, f.to_polars, f.to_numpy, f.dataset, f.lazy, lambda: f.take([1]), lambda: list(f.scan().batches()),\n"
        f"         lambda: bb.scan({str(plain)!r}), lambda: bb.convert({str(plain)!r}, 'x.parquet'), lambda: bb.convert('x.parquet', 'y.bob'), bb.encode([1]).to_numpy]\n"
        "for door in doors:\n"
        "    try: door()\n"
        "    except bb.UnavailableError as error: assert 'pip install' in str(error), error\n"
        "    else: raise SystemExit(f'{door} needs nothing')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout


def test_misspelt_names_are_found_by_mypy(tmp_path: pathlib.Path) -> None:
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text("import bobbin as bb\nbb.wrte({}, 'x')\nx: int = bb.no_such_thing\nbb.dask.read\nbb.convert\nbb.dataset\n")
    package = str(pathlib.Path(bb.__file__).parent.parent)
    import os

    before = os.environ.get("MYPYPATH")
    os.environ["MYPYPATH"] = package
    try:
        out, errors, _ = api.run(["--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent", str(program)])
    finally:
        os.environ.pop("MYPYPATH") if before is None else os.environ.__setitem__("MYPYPATH", before)
    found = [line for line in out.splitlines() if "program.py" in line]
    assert len(found) == 2 and "wrte" in found[0] and "no_such_thing" in found[1], out + errors
