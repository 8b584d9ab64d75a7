# SPDX-License-Identifier: Apache-2.0
"""Many files as one table: everything equals the same rows in one file."""
from __future__ import annotations

import math
import os
import pathlib
import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bobbin as bb

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")

FILES = 5
ROWS = 3000  # of a file


def make_table() -> Any:
    total = FILES * ROWS
    return pa.table({
        "id": pa.array(range(total)),
        "city": pa.array([None if i % 11 == 0 else f"city {i % 13}" for i in range(total)]),
        "price": pa.array([None if i % 17 == 0 else float("nan") if i % 1900 == 0 else i / 8 for i in range(total)]),
        "cost": pa.array(range(total), pa.int32()).cast(pa.decimal128(12, 2)),
        "part": pa.array([i // ROWS for i in range(total)], pa.int8()),
        "rare": pa.array([None if i < 4000 else i % 3 for i in range(total)], pa.uint16()),
    })


@pytest.fixture(scope="module")
def table() -> Any:
    return make_table()


@pytest.fixture(scope="module")
def one(table: Any, tmp_path_factory: pytest.TempPathFactory) -> bb.File:
    path = tmp_path_factory.mktemp("one") / "t.bob"
    bb.write(table, path, rows_per_group=1000)
    return bb.open(path)


@pytest.fixture(scope="module")
def folder(table: Any, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("many")
    for i in range(FILES):
        bb.write(table.slice(i * ROWS, ROWS), made / f"part-{i}.bob", rows_per_group=1000)
    return made


@pytest.fixture
def many(folder: pathlib.Path) -> bb.Dataset:
    return bb.dataset(folder)


FILTERS: list[Any] = [
    None,
    bb.col("id") < 100,
    bb.col("id") >= 14_000,
    (bb.col("part") == 2) & (bb.col("city") == "city 3"),
    "city is null or price > 1800",
    [("part", "in", [0, 4])],
    bb.col("id") > 10**6,
]


def rows_of(table: Any) -> list[str]:
    """NaN is equal to itself as text."""
    return [repr(row) for row in table.to_pylist()]


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize("limit", [None, 0, 7, 3500])
def test_rows(one: bb.File, many: bb.Dataset, where: Any, limit: int | None) -> None:
    names = ["city", "id", "price"]
    ours, theirs = many.scan(names, where, limit=limit), one.scan(names, where, limit=limit)
    assert rows_of(ours.to_arrow()) == rows_of(theirs.to_arrow())
    assert ours.count() == theirs.count()
    assert ours.row_ids().tolist() == theirs.row_ids().tolist()
    found, expected = ours.to_numpy(nulls=None), theirs.to_numpy(nulls=None)
    assert found["id"].tolist() == expected["id"].tolist()


@pytest.mark.parametrize("rows", [slice(0, 10), slice(2990, 3010), range(100, 9000), (14_999, 99_999), slice(-5, None)])
def test_row_ranges(one: bb.File, many: bb.Dataset, rows: Any) -> None:
    expected = one.scan("id", rows=rows).to_arrow()
    assert many.scan("id", rows=rows).to_arrow() == expected
    assert many.scan("id", bb.col("part") > 0, rows=rows, limit=3).to_arrow() == one.scan(
        "id", bb.col("part") > 0, rows=rows, limit=3).to_arrow()


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12)
    return type(a) is type(b) and bool(a == b)


AGGREGATES = {
    "n": bb.count(), "values": bb.count("city"), "total": bb.sum("cost"), "least": bb.min("city"),
    "most": bb.max("price"), "mean": bb.avg("rare"), "reals": bb.avg("price"), "kinds": bb.count_distinct("city"),
}


@pytest.mark.parametrize("where", FILTERS)
def test_aggregates(one: bb.File, many: bb.Dataset, where: Any) -> None:
    found, expected = many.scan(where=where).aggregate(**AGGREGATES), one.scan(where=where).aggregate(**AGGREGATES)
    assert list(found) == list(expected)
    assert all(same(found[name], expected[name]) for name in found), (found, expected)
    assert many.scan(where=where).group_counts("city") == one.scan(where=where).group_counts("city")
    ours = many.scan(where=where).group_by(["part", "city"], order="count() desc", limit=9, **AGGREGATES)
    theirs = one.scan(where=where).group_by(["part", "city"], order="count() desc", limit=9, **AGGREGATES)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert list(a) == list(b) and all(same(a[name], b[name]) for name in a), (a, b)


def test_zone_maps_prune(many: bb.Dataset) -> None:
    scan = many.scan("id", bb.col("id") < 100)
    scan.to_arrow()
    assert scan.stats == (FILES, 1, FILES * 3, 1)
    scan = many.scan(where=bb.col("id").between(2500, 3500))
    assert scan.sum("id") == sum(range(2500, 3501))
    assert scan.stats == (FILES, 2, FILES * 3, 2)
    assert [piece.row_groups for piece in many.pieces(bb.col("id") >= 14_000)] == [(2,)]
    assert many.pieces(bb.col("id") < 0) == []
    none = many.scan(where=bb.col("id") < 0)
    assert none.to_arrow().num_rows == 0 and none.sum("id") is None and none.stats.files_read == 0


def test_pieces_of_large_files(one: bb.File, monkeypatch: pytest.MonkeyPatch) -> None:
    from bobbin import datasets

    monkeypatch.setattr(datasets, "PIECE_ROWS", 4000)
    data = bb.dataset(one.path or "")
    pieces = data.pieces()
    assert [piece.row_groups for piece in pieces] == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11), (12, 13, 14)]
    assert data.scan().aggregate(**AGGREGATES).keys() == AGGREGATES.keys()
    assert data.scan().sum("cost") == one.scan().sum("cost")


def test_sources(folder: pathlib.Path, many: bb.Dataset, one: bb.File) -> None:
    assert many.num_rows == len(many) == FILES * ROWS
    assert [os.path.basename(path) for path in many.paths] == [f"part-{i}.bob" for i in range(FILES)]
    assert bb.dataset(str(folder / "part-[12].bob")).num_rows == 2 * ROWS
    backwards = bb.dataset([folder / "part-1.bob", folder / "part-0.bob"])
    assert backwards.scan("id", limit=1).to_arrow().to_pylist() == [{"id": ROWS}]
    assert pickle.loads(pickle.dumps(many)).scan().sum("id") == one.scan().sum("id")
    assert pickle.loads(pickle.dumps(many.scan("id", bb.col("id") < 5))).count() == 5
    assert "5 files" in repr(many) and many.columns == one.columns and many.schema == one.schema
    with pytest.raises(bb.InvalidArgumentError, match="no .bob files"):
        bb.dataset([])
    with pytest.raises(FileNotFoundError):
        bb.dataset(folder / "missing.bob")
    with pytest.raises(bb.InvalidArgumentError, match="no such column"):
        many.scan("nothing")
    with pytest.raises(bb.BobbinError):
        many.scan(limit=5).sum("id")


def test_the_file_that_differs_is_named(tmp_path: pathlib.Path) -> None:
    bb.write({"a": [1, 2], "s": ["x", "y"]}, tmp_path / "1.bob")
    bb.write({"a": [None, 2], "s": ["x", None]}, tmp_path / "2.bob")  # nullable is not another type
    assert bb.dataset(tmp_path).scan().to_arrow()["a"].to_pylist() == [1, 2, None, 2]
    assert bb.dataset(tmp_path).schema[0].nullable
    bb.write({"a": [1.5], "s": ["x"]}, tmp_path / "3.bob")
    with pytest.raises(bb.InvalidArgumentError, match=r"3\.bob: column 'a' has type f64"):
        bb.dataset(tmp_path)
    bb.write({"b": [1], "s": ["x"]}, tmp_path / "3.bob", overwrite=True)
    with pytest.raises(bb.InvalidArgumentError, match=r"3\.bob: columns \['b', 's'\]"):
        bb.dataset(tmp_path)
    zoned = {zone: pa.table({"t": pa.array([0], pa.timestamp("us", zone))}) for zone in ("UTC", "Asia/Tokyo")}
    for i, (_, rows) in enumerate(zoned.items()):
        bb.write(rows, tmp_path / f"z{i}.bob")
    with pytest.raises(bb.InvalidArgumentError, match=r"z1\.bob: column 't'"):
        bb.dataset([tmp_path / "z0.bob", tmp_path / "z1.bob"])


@pytest.mark.parametrize("where", FILTERS)
def test_rows_without_columns_are_counted(one: bb.File, many: bb.Dataset, where: Any) -> None:
    expected = one.scan(where=where).count()
    assert one.scan([], where).to_arrow().num_rows == expected
    assert many.scan([], where).to_arrow().num_rows == expected
    assert sum(batch.num_rows for batch in many.scan([], where).batches()) == expected


def test_scanners_without_columns(many: bb.Dataset) -> None:
    data = many.dataset()
    assert data.scanner(columns=[]).count_rows() == FILES * ROWS
    assert data.count_rows(pc.scalar(True)) == FILES * ROWS
    assert data.count_rows(pc.field("id") < 100) == 100


def test_a_path_that_is_listed_twice(tmp_path: pathlib.Path) -> None:
    bb.write({"x": list(range(5))}, tmp_path / "a.bob")
    twice = bb.dataset([tmp_path / "a.bob", tmp_path / "a.bob"])
    assert list(twice.scan().row_ids()) == list(range(10))
    assert list(twice.scan(where=bb.col("x") == 3).row_ids()) == [3, 8]
    assert list(twice.scan(rows=slice(4, 7)).row_ids()) == [4, 5, 6]


def test_few_files_stay_open(tmp_path: pathlib.Path) -> None:
    for i in range(40):
        bb.write({"x": [i]}, tmp_path / f"{i:02}.bob")
    both = [bb.dataset(tmp_path), pickle.loads(pickle.dumps(bb.dataset(tmp_path)))]
    for data in both:
        assert data.to_arrow()["x"].to_pylist() == list(range(40))
    places = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    opened = [place for place in places if os.path.exists(place) and str(tmp_path) in os.readlink(place)]
    assert 0 < len(opened) <= 16


def test_few_pieces_are_begun_before_they_are_needed() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from bobbin.datasets import _in_order

    begun: list[int] = []

    def work(piece: Any) -> int:
        begun.append(piece)
        return int(piece) * 10

    with ThreadPoolExecutor(2) as pool:
        made = _in_order(pool, 3, work, list(range(20)))  # type: ignore[arg-type]
        assert next(made) == 0
        assert len(begun) <= 3
        assert list(made) == list(range(10, 200, 10))


def test_a_title_is_not_the_name_of_a_key(one: bb.File, many: bb.Dataset) -> None:
    for data in (one, many):
        with pytest.raises(bb.InvalidArgumentError, match="part"):
            data.scan().group_by("part", part=bb.count())
        with pytest.raises(bb.UnsupportedError, match="not supported"):
            data.scan(limit=3).sum("id")


def test_counts_of_a_column_without_a_name(tmp_path: pathlib.Path) -> None:
    bb.write({"": [1, 1, 2]}, tmp_path / "t.bob")
    assert bb.open(tmp_path / "t.bob").scan().group_counts("") == {1: 2, 2: 1}
    assert bb.dataset(tmp_path).scan().group_counts("") == {1: 2, 2: 1}


def test_strings_of_both_widths(tmp_path: pathlib.Path) -> None:
    bb.write(pa.table({"s": pa.array(["a"], pa.string())}), tmp_path / "1.bob")
    bb.write(pa.table({"s": pa.array(["b"], pa.large_string())}), tmp_path / "2.bob")
    found = bb.dataset(tmp_path).to_arrow()
    assert found.schema.field("s").type == pa.large_string() and found["s"].to_pylist() == ["a", "b"]


def test_a_file_that_changes_is_refused(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for i in range(2):
        bb.write({"x": [i, 5]}, tmp_path / f"{i}.bob")
    data = bb.dataset(tmp_path)
    assert data.scan().sum("x") == 11
    bb.write({"x": [7, 8]}, tmp_path / "1.bob", overwrite=True)
    for question in (lambda: data.scan().sum("x"), lambda: data.to_arrow(), lambda: data.scan().count()):
        with pytest.raises(bb.ChangedFileError, match=r"1\.bob: the file changed"):
            question()
    assert isinstance(pytest.raises(OSError, data.to_arrow).value, bb.BobbinError)
    os.unlink(tmp_path / "1.bob")
    with pytest.raises(FileNotFoundError):
        data.scan().sum("x")
    # The same bytes again are the same file.
    bb.write({"x": [1, 5]}, tmp_path / "1.bob")
    assert data.scan().sum("x") == 11


def test_engines(folder: pathlib.Path, many: bb.Dataset, table: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    pl = pytest.importorskip("polars")
    with duckdb.connect() as connection:
        connection.register("ours", many.dataset())
        connection.register("theirs", table)
        for query in ("select count(*), sum(id), min(price) from {} where id between 2900 and 3100 or city = 'city 4'",
                      "select part, count(*), sum(cost) from {} group by part order by part",
                      "select count(*) from {} where price > 1000"):
            assert connection.sql(query.format("ours")).fetchall() == connection.sql(query.format("theirs")).fetchall()
    whole = pl.DataFrame(table)
    for lazy in (many.lazy(), bb.scan(folder), bb.scan([str(path) for path in many.paths])):
        found = lazy.filter((pl.col("id") > 2990) & (pl.col("city") != "city 1")).select("id", "city").head(20).collect()
        assert found.equals(whole.filter((pl.col("id") > 2990) & (pl.col("city") != "city 1")).select("id", "city").head(20))
    assert many.lazy().head(3).collect().equals(whole.head(3))
    assert many.to_polars().equals(whole, null_equal=True)
    assert many.dataset().count_rows() == len(table)
    assert pickle.loads(pickle.dumps(many.dataset())).head(2).num_rows == 2


def test_partials(one: bb.File, many: bb.Dataset) -> None:
    parts = [bb.open(path).scan(where=bb.col("id") > 10).partial("city", **AGGREGATES) for path in many.paths]
    whole = bb.merge([pickle.loads(pickle.dumps(part)) for part in parts])
    expected = one.scan(where=bb.col("id") > 10).group_by("city", **AGGREGATES)
    assert len(whole) == len(expected) == 14
    for a, b in zip(whole.rows(), expected):
        assert list(a) == list(b) and all(same(a[name], b[name]) for name in a), (a, b)
    assert parts[0].rows() != whole.rows()  # stays as it was
    total = one.scan().partial(n=bb.count()).result()
    assert total == {"n": FILES * ROWS}
    with pytest.raises(bb.InvalidArgumentError):
        parts[0].merge(one.scan().partial("city", n=bb.count()))
    with pytest.raises(bb.InvalidArgumentError):
        whole.result()
    with pytest.raises(bb.InvalidArgumentError):
        bb.merge([])
    groups = one.scan(row_groups=[0, 1, 4])
    assert groups.sum("id") == sum(range(2000)) + sum(range(4000, 5000))
    assert groups.group_counts("part") == {0: 2000, 1: 1000}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_division_gives_the_same(tmp_path: pathlib.Path, data: Any) -> None:
    numbers = st.one_of(st.none(), st.integers(-(2**40), 2**40))
    values = data.draw(st.lists(st.tuples(numbers, st.sampled_from(["a", "b", None])), min_size=1, max_size=60))
    whole = pa.table({"x": pa.array([x for x, _ in values], pa.int64()), "k": pa.array([k for _, k in values], pa.string())})
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=4)))
    bounds = list(zip([0, *cuts], [*cuts, len(values)]))
    paths = [tmp_path / f"{i}.bob" for i in range(len(bounds))]
    for path, (begin, end) in zip(paths, bounds):
        bb.write(whole.slice(begin, end - begin), path, overwrite=True)
    least = data.draw(st.integers(-100, 100))
    many = bb.dataset(paths)
    assert many.to_arrow() == whole
    kept = whole.filter(pc.field("x") >= least)
    scan = many.scan(where=bb.col("x") >= least)
    assert scan.to_arrow() == kept
    expected = kept.group_by("k").aggregate([("x", "sum"), ("x", "min"), ("x", "count")]).to_pylist()
    found = scan.group_by("k", total=bb.sum("x"), least=bb.min("x"), n=bb.count("x"))
    assert {row["k"]: (row["total"], row["least"], row["n"]) for row in found} == {
        row["k"]: (row["x_sum"], row["x_min"], row["x_count"]) for row in expected}
