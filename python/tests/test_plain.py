# SPDX-License-Identifier: Apache-2.0
"""Everything that needs no other package."""
from __future__ import annotations

import array
import datetime
import decimal
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time

import pytest

import bobbin as bb
from conftest import ROWS


def test_import_is_light() -> None:
    code = "import sys, bobbin; print(sorted({'numpy', 'pyarrow', 'polars', 'pandas', 'duckdb', 'dask', 'ray'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
    assert found.stderr == ""


def test_what_is_in_a_file(plain: pathlib.Path) -> None:
    with bb.open(plain) as f:
        assert f.num_rows == len(f) == ROWS
        assert f.num_row_groups == 5
        assert [tuple(field) for field in f.schema[:2]] == [("id", "i64", False), ("price", "f64", False)]
        assert f.columns[-1] == "maybe"
        assert f.metadata == {"who": b"we"}
        assert f.nbytes == plain.stat().st_size
        assert [group["num_rows"] for group in f.row_groups] == [1024, 1024, 1024, 1024, 904]
        assert f.row_groups[1]["chunks"][0]["min"] == "1024"
        f.verify()
    with pytest.raises(bb.InvalidArgumentError, match="closed"):
        f.num_rows
    shown = bb.inspect(plain)
    assert shown["rows"] == ROWS and shown["columns"][0] == {"name": "id", "type": "i64", "nullable": False}


@pytest.mark.parametrize("how", ["str", "path", "bytes", "descriptor", "file object", "file without a name", "bytes path"])
def test_sources(plain: pathlib.Path, how: str) -> None:
    with plain.open("rb") as stream, tempfile.TemporaryFile() as unnamed:
        unnamed.write(plain.read_bytes())
        unnamed.flush()
        sources = {
            "str": str(plain),
            "path": plain,
            "bytes": plain.read_bytes(),
            "descriptor": stream.fileno(),
            "file object": stream,
            "file without a name": unnamed,
            "bytes path": type("P", (), {"__fspath__": lambda self: os.fsencode(plain)})(),
        }
        assert bb.open(sources[how]).scan(where="id < 10").sum("id") == 45


def test_paths_of_any_bytes(tmp_path: pathlib.Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.bob")
    bb.write({"x": [1]}, path)
    with bb.Writer(path, {"x": "i64"}, overwrite=True) as writer:
        writer.append({"x": [1, 2]})
    assert bb.open(path).num_rows == pickle.loads(pickle.dumps(bb.open(path))).num_rows == 2
    with open(path, "rb") as stream:
        assert bb.open(stream).num_rows == 2


FILTERS = [
    (bb.col("id") < 10, 10),
    ("id < 10", 10),
    ([("id", "<", 10)], 10),
    ([("id", "in", [1, 2]), ("flag", "=", False)], 2),
    (bb.col("flag") == True, 1667),  # noqa: E712
    (bb.col("city").startswith("city 1") & (bb.col("id") < 100), 11),
    (bb.col("city").is_null(), 100),
    (bb.col("city").is_not_null(), 4900),
    (~(bb.col("id") < 4990), 10),
    ((bb.col("id") < 5) | (bb.col("id") > 4997), 7),
    (bb.col("day") == datetime.date(2024, 1, 3), 100),
    (bb.col("raw").startswith(b"\x07"), 20),
    (bb.col("id").between(5, 7), 3),
    (bb.col("city").isin(["city 1", "it's"]) & (bb.col("id") < 100), 11),
    (bb.col("city").endswith("8") & "id < 100", 11),
    (bb.col("city").like("c_ty 8") & "id < 100", 11),
    (bb.col("city").ilike("CITY 8") & "id < 100", 11),
    (bb.col("city").contains("%"), 0),
    (bb.col("price") > bb.col("id"), 0),
    (bb.col("id") == 2**80, 0),
    (bb.col("price") == float("nan"), 0),
]


@pytest.mark.parametrize("where, rows", FILTERS, ids=[repr(where) for where, _ in FILTERS])
def test_filters(plain: pathlib.Path, where: object, rows: int) -> None:
    scan = bb.open(plain).scan(where=where)
    assert scan.count() == len(scan) == len(scan.row_ids()) == rows


def test_filters_are_objects() -> None:
    where = (bb.col("a") < 10) & ~bb.col("s").startswith("x") | (bb.col("a") == bb.col("b"))
    assert repr(pickle.loads(pickle.dumps(where))) == repr(where)
    assert '"a" < 10' in repr(where)
    with pytest.raises(TypeError, match="&"):
        bool(where)
    for wrong in (lambda: bb.col("a") == None, lambda: bb.col("a") < object(),  # noqa: E711
                  lambda: where & [], lambda: None | where):
        with pytest.raises(bb.InvalidArgumentError):
            wrong()


@pytest.mark.parametrize("text", ["Infinity", "-Infinity", "sNaN", "-sNaN12"])
def test_decimals_that_are_not_numbers(plain: pathlib.Path, text: str) -> None:
    for wrong in (lambda: bb.col("id") < decimal.Decimal(text), lambda: bb.col("id").isin([1, decimal.Decimal(text)])):
        with pytest.raises(bb.InvalidArgumentError):
            wrong()
    # The extension checks again what the package has let through.
    with pytest.raises(bb.InvalidArgumentError):
        bb.open(plain).scan(where=bb.Expr(("<", "id", (("digits", text),))))


@pytest.mark.parametrize("text", ["NaN", "-NaN", "NaN12"])
def test_decimals_that_are_nan(plain: pathlib.Path, text: str) -> None:
    f = bb.open(plain)
    assert f.scan(where=bb.col("price") < decimal.Decimal(text)).count() == 0
    assert f.scan(where=bb.col("price") != decimal.Decimal(text)).count() == ROWS


def test_ranges_limits_and_groups(plain: pathlib.Path) -> None:
    f = bb.open(plain)
    assert list(f.scan(rows=slice(10, 13)).row_ids()) == [10, 11, 12]
    assert list(f.scan(rows=slice(-2, None)).row_ids()) == [ROWS - 2, ROWS - 1]
    assert list(f.scan(rows=range(5, 7)).row_ids()) == [5, 6]
    for empty in (range(0), range(0, -1), range(7, 5), range(-3, -3)):
        assert f.scan(rows=empty).count() == 0
    assert f.scan(rows=range(2**70)).count() == ROWS
    assert f.scan(where=[]).count() == f.scan(where=()).count() == ROWS
    assert list(f.scan(where="id >= 100", limit=2).row_ids()) == [100, 101]
    assert f.scan(row_groups=[0, 4]).count() == 1024 + 904
    assert f.scan(limit=0).count() == 0
    for wrong in ({"limit": -1}, {"rows": slice(0, 9, 2)}, {"rows": range(-2, 3)}, {"rows": range(-3, -1)}, {"row_groups": [9]}, {"columns": ["none"]}, {"where": "no = 1"},
                  {"where": "id <"}, {"batch_rows": 0}, {"backend": "abacus"}):
        with pytest.raises(ValueError):
            f.scan(**wrong)


def test_aggregates(plain: pathlib.Path) -> None:
    f = bb.open(plain)
    found = f.scan(where="id < 100").aggregate(
        n=bb.count(), values=bb.count("city"), total=bb.sum("id"), mean=bb.avg("price"), first=bb.min("day"),
        last=bb.max("city"), different=bb.count_distinct("city"), limit=bb.max("raw"), yes=bb.sum("flag"))
    assert found == {"n": 100, "values": 98, "total": 4950, "mean": 12.375, "first": datetime.date(2024, 1, 1),
                     "last": "city 8", "different": 9, "limit": b"c\xff", "yes": 34}
    assert f.scan().sum("id") == sum(range(ROWS))
    assert f.scan().max("flag") is True
    assert f.scan(where="id < 0").sum("id") is None
    counts = f.scan().group_counts("city")
    assert counts[None] == 100 and sum(counts.values()) == ROWS
    top = f.scan().group_by(["city", "flag"], order="count() desc", limit=1, n=bb.count(), most=bb.max("id"))
    assert list(top[0]) == ["city", "flag", "n", "most"]
    with pytest.raises(NotImplementedError):
        f.scan(limit=3).sum("id")
    with pytest.raises(ValueError):
        f.scan().sum("city")


def test_stats_say_what_was_read(plain: pathlib.Path) -> None:
    scan = bb.open(plain).scan(where="id >= 4500")
    assert scan.count() == 500
    assert scan.stats == (5, 1) or scan.stats.row_groups_read <= 2


def test_columns_of_python_values(tmp_path: pathlib.Path) -> None:
    moment = datetime.datetime(2024, 2, 29, 12, 30, 0, 5)
    columns = {"t": [moment, None], "u": [2**64 - 1, 0], "a": array.array("f", [1.5, 2.5]), "n": [None, None],
               "s": ["", "é"], "b": memoryview(b"ab")}
    assert bb.write(columns, tmp_path / "t.bob") == 2
    f = bb.open(tmp_path / "t.bob")
    assert [field.type for field in f.schema] == ["timestamp[us]", "u64", "f32", "bool", "utf8", "u8"]
    assert f.scan().aggregate(t=bb.max("t"), u=bb.max("u"), a=bb.sum("a"), n=bb.count("n"), s=bb.max("s")) == {
        "t": moment, "u": 2**64 - 1, "a": 4.0, "n": 0, "s": "é"}
    assert bb.write({}, tmp_path / "none.bob") == 0
    for wrong in ({"x": [1, "a"]}, {"x": 5}, {"x": "text"}, {"x": [1], "y": [1, 2]}, {"x": [True, 2]}, {"x": [2**70]}):
        with pytest.raises(ValueError):
            bb.write(wrong, tmp_path / "wrong.bob")
    assert sorted(os.listdir(tmp_path)) == ["none.bob", "t.bob"]


def test_a_writer_drops_its_file_on_an_error(tmp_path: pathlib.Path) -> None:
    with bb.Writer(tmp_path / "w.bob", {"x": "i64", "s": "utf8"}) as writer:
        writer.append({"x": [1, 2], "s": ["a", None]})
        writer.append({"x": [None], "s": ["c"]})
    assert bb.open(tmp_path / "w.bob").num_rows == 3
    with pytest.raises(KeyError):
        with bb.Writer(tmp_path / "v.bob", {"x": "i64"}) as writer:
            writer.append({"x": [1]})
            raise KeyError
    with pytest.raises(bb.InvalidArgumentError):
        with bb.Writer(tmp_path / "v.bob", {"x": "i64"}) as writer:
            writer.append({"x": ["text"]})
    assert os.listdir(tmp_path) == ["w.bob"]


def test_a_writer_converts_to_its_types(tmp_path: pathlib.Path) -> None:
    moment = datetime.datetime(2024, 1, 1, 12)
    schema = {"d": "decimal(2)", "t": "timestamp[s]", "i": "i8", "f": "f32", "day": "date", "b": "bool", "s": "binary"}
    rows = {"d": [decimal.Decimal("1.25"), 3], "t": [moment, None], "i": [-1, None], "f": [0.5, 2],
            "day": [moment.date(), None], "b": [None, None], "s": [None, None]}
    with bb.Writer(tmp_path / "w.bob", schema) as writer:
        writer.append(rows)
    f = bb.open(tmp_path / "w.bob")
    assert {field.name: field.type for field in f.schema} == schema
    assert f.scan().aggregate(d=bb.sum("d"), t=bb.max("t"), i=bb.min("i"), f=bb.sum("f")) == {
        "d": decimal.Decimal("4.25"), "t": moment, "i": -1, "f": 2.5}
    for kind, value in (("i8", 300), ("i8", 1.5), ("decimal(2)", "1.255"), ("timestamp[s]", moment.replace(microsecond=5)),
                        ("date", "2024-01-01"), ("bool", 1), ("utf8", b"x")):
        with pytest.raises(bb.InvalidArgumentError):
            with bb.Writer(tmp_path / "x.bob", {"x": kind}) as writer:
                writer.append({"x": [value]})


def test_pickle_and_repr(plain: pathlib.Path) -> None:
    f = bb.open(plain)
    assert pickle.loads(pickle.dumps(f)).num_rows == ROWS
    scan = pickle.loads(pickle.dumps(f.scan("id", bb.col("id") < 5, limit=3)))
    assert list(scan.row_ids()) == [0, 1, 2]
    assert "5000 rows" in repr(f) and "id" in repr(scan)
    with pytest.raises(TypeError):
        pickle.dumps(bb.open(plain.read_bytes()))


def test_pickle_after_a_change_of_directory(plain: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(plain.parent)
    f = bb.open(plain.name)
    assert f.path == plain.name
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(f)).num_rows == ROWS


def test_html_is_escaped(tmp_path: pathlib.Path) -> None:
    bb.write({"<b>&": [1]}, tmp_path / "h.bob")
    file = bb.open(tmp_path / "h.bob")
    for shown in (file._repr_html_(), file.scan()._repr_html_()):
        assert "&lt;b&gt;&amp;" in shown and "<b>" not in shown and "<th>ratio</th>" in shown
    file.close()
    assert "closed" in file._repr_html_() and "<table>" not in file._repr_html_()


def test_html_of_a_scan_has_its_columns(plain: pathlib.Path) -> None:
    shown = bb.open(plain).scan(["city", "id"])._repr_html_()
    assert shown.index("<td>city</td>") < shown.index("<td>id</td>") and "<td>price</td>" not in shown
    chunk = bb.open(plain).row_groups[0]["chunks"][0]
    assert chunk["raw_bytes"] == 8 * 1024 and chunk["tree"]["codec"] in chunk["encoding"]


def test_backends_by_name(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert bb.open(plain).scan(backend="auto").count() == ROWS
    bb.write({"a": [1, 2]}, tmp_path / "a.bob", backend="auto")
    for wrong in (lambda: bb.open(plain).scan(backend="tpu"),
                  lambda: bb.write({"a": [1]}, tmp_path / "b.bob", backend="tpu")):
        with pytest.raises(bb.InvalidArgumentError, match="'tpu'; expected auto, cpu"):
            wrong()


def test_encoded_arrays() -> None:
    values = array.array("q", range(10_000))
    made = bb.encode(values)
    assert len(made) == 10_000 and made.type == "i64" and made.nbytes < 100
    assert made.decode().tolist() == values.tolist()
    out = array.array("q", bytes(80_000))
    assert made.decode(out) is out and out == values
    assert bb.encode(values, "bitpack").encoding.startswith("bitpack")
    tree = bb.encode(values, "dict(bitpack, delta)").tree
    assert tree["codec"] == "dict" and [child["codec"] for child in tree["children"]] == ["bitpack", "delta"]
    assert "bitpack" in bb.codecs()
    assert len(bb.encode(array.array("d")).decode()) == 0
    for wrong in (lambda: bb.encode(values, "no such"), lambda: bb.encode(["a"]), lambda: made.decode(bytearray(7)),
                  lambda: bb.encode([1, None]), lambda: made.decode(bytes(80_000))):
        with pytest.raises(ValueError):
            wrong()
    assert isinstance(bb.devices(), list)


def test_constants_outside_the_type() -> None:
    for kind, constant in (("f", 1e300), ("f", -1e300), ("b", 128), ("Q", -1), ("q", 2**63)):
        with pytest.raises(bb.InvalidArgumentError):
            bb.encode(array.array(kind, [1])).compare("<", constant)


@pytest.mark.parametrize("kind", "bBhHiIqQfd")
def test_parts_of_encoded_arrays(kind: str) -> None:
    values = array.array(kind, [i * 7 % 101 for i in range(3000)])
    made = bb.encode(values)
    assert made[0] == values[0] and made[-1] == values[-1] and made[1500] == values[1500]
    assert made[10:2000].decode().tolist() == values[10:2000].tolist()
    assert made[-5:].decode().tolist() == values[-5:].tolist() and len(made[5:2]) == 0
    assert made.take([2999, 0, -1]).tolist() == [values[2999], values[0], values[-1]]
    assert (made < 50).tolist() == [value < 50 for value in values]
    assert (made == 7).tolist() == [value == 7 for value in values]
    for whole in (bb.EncodedArray.from_bytes(bytes(made)), pickle.loads(pickle.dumps(made))):
        assert whole.decode().tolist() == values.tolist() and whole.encoding == made.encoding
    assert bb.EncodedArray.from_bytes(bytes(made[3:900])).decode().tolist() == values[3:900].tolist()
    with pytest.raises(IndexError):
        made[3000]
    with pytest.raises(IndexError):
        made.take([3000])
    for wrong in (lambda: made[::2], lambda: made < "text", lambda: made.compare("~", 1)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(bb.CorruptError, match="too many"):
        bb.EncodedArray.from_bytes(bytes(made), max_length=2999)
    for bad in (b"", b"x", bytes(made)[:-1], bytes(100)):
        with pytest.raises(bb.CorruptError):
            bb.EncodedArray.from_bytes(bad)


def test_threads_share_a_file(plain: pathlib.Path) -> None:
    f = bb.open(plain)
    found: list[int] = []
    workers = [threading.Thread(target=lambda: found.append(f.scan(where="id < 2500").sum("id"))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [sum(range(2500))] * 8


VALUES = array.array("q", [i * 7919 % 100_003 for i in range(300_000)])
ENCODED = bb.encode(VALUES)
SOME = list(range(0, 300_000, 3))


def partial_of_many_groups() -> bb.Partial:
    with tempfile.TemporaryDirectory() as folder:
        bb.write({"x": VALUES}, os.path.join(folder, "groups.bob"))
        return bb.open(os.path.join(folder, "groups.bob")).scan().partial("x", n=bb.count())


PARTIAL = partial_of_many_groups()
CALLS = {
    "merge": lambda: PARTIAL.copy().merge(PARTIAL),
    "finish": lambda: PARTIAL.rows(limit=1),
    "pickle": lambda: pickle.dumps(PARTIAL),
    "encode": lambda: bb.encode(VALUES),
    "take": lambda: ENCODED.take(SOME),
    "compare": lambda: ENCODED.compare("<", 1000),
    "bytes": lambda: bytes(ENCODED),
    "from_bytes": lambda data=bytes(ENCODED): bb.EncodedArray.from_bytes(data),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_gil_is_free_during_calls(name: str) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.0001):
            ticks += 1

    ticker = threading.Thread(target=tick)
    interval = sys.getswitchinterval()
    ticker.start()
    sys.setswitchinterval(1000)  # only a call that releases the GIL lets the other thread run
    try:
        before = ticks
        end = time.monotonic() + 5
        while ticks < before + 3 and time.monotonic() < end:
            CALLS[name]()
    finally:
        sys.setswitchinterval(interval)
        during = ticks - before
        done.set()
        ticker.join()
    assert during >= 3


def test_threads_merge_both_ways() -> None:
    one, two = PARTIAL.copy(), PARTIAL.copy()

    def work(into: bb.Partial, other: bb.Partial) -> None:
        for _ in range(5):
            into.merge(other)

    threads = [threading.Thread(target=work, args=pair) for pair in ((one, two), (two, one), (one, one))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(one) == len(two) == len(PARTIAL)


def test_fork_after_use(plain: pathlib.Path) -> None:
    f = bb.open(plain)
    assert f.scan(where="id < 10").count() == 10
    child = os.fork()
    if child == 0:
        os._exit(0 if f.scan(where="id < 10").count() == 10 else 1)
    assert os.waitpid(child, 0)[1] == 0
