# SPDX-License-Identifier: Apache-2.0
"""Engines that read files through Arrow: DuckDB, Polars, pandas; other formats."""
from __future__ import annotations

import datetime
import os
import pathlib
import pickle
from typing import Any

import pytest

import bobbin as bb

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")

ROWS = 20_000


@pytest.fixture(scope="module")
def table() -> Any:
    return pa.table({
        "id": pa.array(range(ROWS)),
        "small": pa.array([i % 7 for i in range(ROWS)], pa.uint8()),
        "city": pa.array([None if i % 11 == 0 else f"city {i % 13}" for i in range(ROWS)]),
        "price": pa.array([None if i % 17 == 0 else float("nan") if i % 19 == 0 else i / 8 for i in range(ROWS)]),
        "day": pa.array([datetime.date(2020, 1, 1) + datetime.timedelta(days=i // 50) for i in range(ROWS)]),
        "moment": pa.array([datetime.datetime(2020, 1, 1) + datetime.timedelta(minutes=i) for i in range(ROWS)],
                       pa.timestamp("us")),
        "cost": pa.array(range(ROWS), pa.int32()).cast(pa.decimal128(12, 2)),
    })


@pytest.fixture(scope="module")
def path(table: Any, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("engines") / "t.bob"
    bb.write(table, made, rows_per_group=2048)
    return made


QUERIES = [
    "select count(*), sum(id), min(day), max(moment) from {t}",
    "select count(*), sum(id) from {t} where id between 100 and 300",
    "select sum(id) from {t} where city in ('city 1', 'city 5') and id < 5000",
    "select sum(id) from {t} where city not in ('city 1', 'city 5')",
    "select count(*) from {t} where city is null or id = 5",
    "select count(*) from {t} where city is not null and small = 3",
    "select count(*), sum(price) from {t} where price < 100",
    "select count(*) from {t} where price > 100",
    "select count(*) from {t} where price = 'nan'",
    "select count(*) from {t} where not (price >= 100)",
    "select count(*) from {t} where day >= date '2020-06-01' and moment < timestamp '2020-01-05 12:00:00'",
    "select sum(cost) from {t} where cost > 19990.5",
    "select city, count(*) from {t} where city like 'city 1%' group by city order by city",
    "select id from {t} where id % 5000 = 3 order by id",
    "select count(*) from {t} where id > 30000",
]


@pytest.mark.parametrize("query", QUERIES)
def test_duckdb(table: Any, path: pathlib.Path, query: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("ours", bb.open(path).dataset())
        connection.register("theirs", table)
        assert connection.sql(query.format(t="ours")).fetchall() == connection.sql(query.format(t="theirs")).fetchall()
        connection.register("stream", bb.open(path))
        found = connection.sql("select count(*) from stream").fetchall()
        assert found == [(ROWS,)]


def rows_of(table: Any) -> list[str]:
    """NaN is equal to itself as text."""
    return [repr(row) for row in table.to_pylist()]


def expressions() -> list[Any]:
    field = pc.field
    return [
        field("id") > 19_990,
        (field("id") > 10) & (field("city") == "city 3"),
        (field("small") == 3) & (field("id") < 100),
        ~field("city").isin(["city 1"]),
        field("city").isin(["city 1", None]),
        field("price").is_null(nan_is_null=True),
        ~(field("price") > 5.0),
        field("id") + 1 == 5,
        (field("id") < 5) | (pc.utf8_length(field("city")) == 7),
        field("day") == datetime.date(2020, 1, 2),
        pc.if_else(field("id") > 50, field("city") == "city 3", False),
        ~pc.if_else(field("id") > 50, field("city") == "city 3", False),
        ~pc.if_else(field("id") > 50, field("city") == "city 3", pa.scalar(None, pa.bool_())),
    ]


@pytest.mark.parametrize("number", range(13))
def test_dataset_filters_exactly(table: Any, path: pathlib.Path, number: int) -> None:
    expression = expressions()[number]
    dataset = bb.open(path).dataset()
    wanted = table.filter(expression)
    assert rows_of(dataset.to_table(filter=expression)) == rows_of(wanted)
    assert dataset.count_rows(filter=expression) == len(wanted)
    assert dataset.to_table(columns=["id"], filter=expression)["id"].to_pylist() == wanted["id"].to_pylist()


def test_dataset_reads_only_what_is_needed(path: pathlib.Path) -> None:
    f = bb.open(path)
    dataset = pickle.loads(pickle.dumps(f.dataset()))
    assert dataset.schema == pa.schema(f)
    assert dataset.count_rows() == ROWS
    assert dataset.head(3)["id"].to_pylist() == [0, 1, 2]
    assert dataset.take([5, 2])["id"].to_pylist() == [5, 2]
    assert sum(len(batch) for batch in dataset.to_batches(columns=["id"])) == ROWS
    scan = f.scan("id", where="id >= 19990")
    scan.to_arrow()
    assert scan.stats.row_groups_read == 1
    with pytest.raises(NotImplementedError):
        dataset.replace_schema(dataset.schema)


def polars_expressions(pl: Any) -> list[Any]:
    col = pl.col
    return [
        col("id") > 19_990,
        (col("id") > 10) & (col("city") == "city 3"),
        (col("small") == 3) | (100 > col("id")),
        col("price") > 2000.0,
        col("price") >= float("nan"),
        col("price") == float("nan"),
        ~(col("price") > 5.0),
        col("price").is_null() | col("price").is_nan(),
        col("city").str.contains("1"),
        col("city").str.starts_with("city 1"),
        col("city").str.len_chars() == 7,
        col("city").is_in(["city 1"]),
        ~col("city").is_in(["city 1"]),
        col("id") % 100 == 7,
        col("day") == datetime.date(2020, 1, 2),
        col("moment") < datetime.datetime(2020, 1, 1, 5),
        col("cost").cast(pl.Float64) > 19990.5,
        col("id").is_between(5, 9),
        col("id") == col("small"),
    ]


@pytest.mark.parametrize("number", range(19))
def test_polars(table: Any, path: pathlib.Path, number: int) -> None:
    pl = pytest.importorskip("polars")
    testing = pytest.importorskip("polars.testing")
    expression = polars_expressions(pl)[number]
    wanted = pl.from_arrow(table).filter(expression)
    testing.assert_frame_equal(bb.scan(path).filter(expression).collect(), wanted)
    testing.assert_frame_equal(bb.scan(path).filter(expression).select("id").head(5).collect(), wanted.select("id").head(5))


def test_frames(table: Any, path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pl = pytest.importorskip("polars")
    frame = bb.open(path).to_polars()
    assert frame.shape == (ROWS, 7)
    assert bb.scan(path).head(3).collect().height == 3
    assert bb.scan(path).select(pl.len()).collect().item() == ROWS
    bb.write(frame.with_columns(pl.col("city").cast(pl.Categorical)), tmp_path / "p.bob")
    assert bb.open(tmp_path / "p.bob").to_polars()["city"].to_list() == frame["city"].to_list()
    pandas = pytest.importorskip("pandas")
    one = bb.open(path).scan(["id", "city"]).to_pandas()
    bb.write(one, tmp_path / "q.bob")
    pandas.testing.assert_frame_equal(bb.open(tmp_path / "q.bob").to_pandas(), one)


def test_duckdb_relations_are_written(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert bb.write(duckdb.sql("select range as x from range(5)"), tmp_path / "d.bob") == 5


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_convert(table: Any, path: pathlib.Path, tmp_path: pathlib.Path, name: str) -> None:
    assert bb.convert(path, tmp_path / name) == ROWS
    with pytest.raises(FileExistsError):
        bb.convert(path, tmp_path / name)
    assert bb.convert(tmp_path / name, tmp_path / "again.bob", goal="fastest") == ROWS
    assert rows_of(bb.open(tmp_path / "again.bob").to_arrow()) == rows_of(table)
    for source, target in (("a.txt", "a.bob"), ("a.bob", "a.txt"), ("a.parquet", "b.parquet")):
        with pytest.raises((NotImplementedError, FileNotFoundError)):
            bb.convert(tmp_path / source, tmp_path / target)
    assert sorted(os.listdir(tmp_path)) == sorted(["again.bob", name])


def test_new_files_are_as_private_as_their_source(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pyarrow")
    source = tmp_path / "s.bob"
    source.write_bytes(path.read_bytes())
    before = os.umask(0o022)
    try:
        for mode in (0o600, 0o640, 0o644):
            source.chmod(mode)
            bb.convert(source, tmp_path / "t.parquet")
            bb.convert(source, tmp_path / "t.arrow")
            bb.convert(tmp_path / "t.parquet", tmp_path / "again.bob")
            bb.write(bb.open(source).scan(), tmp_path / "copy.bob", source=source)
            for name in ("t.parquet", "t.arrow", "again.bob", "copy.bob"):
                assert (tmp_path / name).stat().st_mode & 0o777 == mode
                (tmp_path / name).unlink()
    finally:
        os.umask(before)
