# SPDX-License-Identifier: Apache-2.0
"""What engines push down, seen by what is read: row groups, columns and bytes, not only by the rows."""
from __future__ import annotations

import datetime
import decimal
import pathlib
from typing import Any, Callable, Iterator

import pytest

import bobbin as bb

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")

ROWS = 40_000
GROUP = 2_000  # rows of a row group
GROUPS = ROWS // GROUP


@pytest.fixture(scope="module")
def table() -> Any:
    day = datetime.date(2020, 1, 1)
    return pa.table({
        "id": pa.array(range(ROWS)),
        "half": pa.array([i // 2 for i in range(ROWS)]),
        "key": pa.array([f"k{i:06}" for i in range(ROWS)], pa.large_string()),
        "raw": pa.array([b"r%06d" % i for i in range(ROWS)], pa.large_binary()),
        "word": pa.array([f"w{i % 7}" for i in range(ROWS)], pa.string()),
        "real": pa.array([float("nan") if i == 999 else i / 4 for i in range(ROWS)]),
        "day": pa.array([day + datetime.timedelta(days=i // 100) for i in range(ROWS)]),
        "cost": pa.array([decimal.Decimal(i) / 4 for i in range(ROWS)], pa.decimal128(12, 2)),
        "span": pa.array([datetime.timedelta(seconds=i) for i in range(ROWS)], pa.duration("ms")),
        "maybe": pa.array([None if i % 3 == 0 else i for i in range(ROWS)], pa.uint32()),
        "wide": pa.array([f"{i * 7919 % 1000003} {i}" * 10 for i in range(ROWS)]),
    })


@pytest.fixture(scope="module")
def path(table: Any, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("pushdown") / "t.bob"
    bb.write(table, made, rows_per_group=GROUP)
    return made


class Seen:
    """The scans that were made, and how many bytes this process has read."""

    def __init__(self) -> None:
        self.scans: list[bb.Scan] = []
        self._before = self._bytes()

    @staticmethod
    def _bytes() -> int:
        text = pathlib.Path("/proc/self/io").read_text()
        return int(text.split("rchar:")[1].split()[0])

    @property
    def bytes(self) -> int:
        return self._bytes() - self._before

    @property
    def groups(self) -> int:
        return max((scan.stats.row_groups_read for scan in self.scans), default=0)

    @property
    def columns(self) -> set[str]:
        return {field.name for scan in self.scans if scan.stats.row_groups_read for field in scan.schema}

    @property
    def rows(self) -> int:
        return sum(scan._spec.rows_returned for scan in self.scans)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Seen]]:
    """A function that begins to look."""
    current: list[Seen] = []
    scan = bb.File.scan

    def spy(self: bb.File, *arguments: Any, **options: Any) -> bb.Scan:
        made = scan(self, *arguments, **options)
        if current:
            current[0].scans.append(made)
        return made

    def begin() -> Seen:
        current[:] = [Seen()]
        return current[0]

    monkeypatch.setattr(bb.File, "scan", spy)
    yield begin


ONE = [  # (SQL, what pyarrow and Polars call it): all rows are in one row group
    "id = 7", "id in (7, 9)", "id between 100 and 300", "key = 'k000007'", "key in ('k000007', 'k000009')", "key < 'k000100'",
    "key >= 'k039990'", "key = 'k000007' or id = 8", "day = date '2020-01-02'", "cost < 20.5", "real < 20.5",
    "raw = 'r000007'::blob", "not (key >= 'k000100')", "half = 5 and word = 'w3'", "maybe = 1000",
]


@pytest.mark.parametrize("where", ONE)
def test_duckdb_reads_one_row_group(table: Any, path: pathlib.Path, seen: Callable[[], Seen], where: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("theirs", table)
        expected = connection.sql(f"select id, word from theirs where {where}").fetchall()
        connection.register("ours", bb.open(path).dataset())
        now = seen()
        assert connection.sql(f"select id, word from ours where {where}").fetchall() == expected
    assert 0 < now.groups <= 1, where
    assert now.columns == {"id", "word"}  # those of the filter are not decoded
    assert now.rows == len(expected)  # nothing is left for others to filter
    assert now.bytes < path.stat().st_size / 10


def test_duckdb_knows_the_number_of_rows(path: pathlib.Path) -> None:
    duckdb = pytest.importorskip("duckdb", minversion="2.0")
    with duckdb.connect() as connection:
        connection.register("ours", bb.open(path).dataset())
        plan = connection.sql("explain select * from ours").fetchall()[0][1]
    assert "40,000 rows" in plan or "40000" in plan, plan


def test_duckdb_joins_and_groups(table: Any, path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = "select a.word, count(*), sum(b.cost) from {0} a join {0} b on a.id = b.half where a.key < 'k001000' group by 1 order by 1"
    with duckdb.connect() as connection:
        connection.register("theirs", table)
        connection.register("ours", bb.open(path).dataset())
        now = seen()
        assert connection.sql(query.format("ours")).fetchall() == connection.sql(query.format("theirs")).fetchall()
    assert now.columns <= {"id", "half", "word", "cost"}


def field(name: str) -> Any:
    return pc.field(name)


ARROW: list[Callable[[], Any]] = [
    lambda: field("id") == 7,
    lambda: field("id").isin([7, 9]),
    lambda: field("key") == "k000007",
    lambda: field("key").isin(["k000007", "k000009"]),
    lambda: field("raw") == b"r000007",
    lambda: (field("key") < "k000100") & field("maybe").is_valid(),
    lambda: (field("day") == datetime.date(2020, 1, 2)) | (field("id") == 3),
    lambda: field("cost") < decimal.Decimal("20.50"),
    lambda: field("real") < 20.5,
    lambda: ~(field("key") >= "k000100"),
    lambda: pc.if_else(field("key").is_valid(), field("key").isin(["k000007"]), pa.scalar(None, pa.bool_())),
]


@pytest.mark.parametrize("number", range(len(ARROW)))
def test_pyarrow_filters_are_applied_once(table: Any, path: pathlib.Path, seen: Callable[[], Seen], number: int) -> None:
    expression = ARROW[number]()
    data = bb.open(path).dataset()
    expected = table.select(["id"]).filter(pc.is_in(table["id"], table.filter(expression)["id"]))
    now = seen()
    assert data.to_table(columns=["id"], filter=expression) == expected
    assert now.groups == 1 and now.columns == {"id"} and now.rows == len(expected)
    now = seen()
    assert data.count_rows(filter=expression) == len(expected)
    assert now.groups <= 1 and now.columns <= set()


def test_filters_that_bobbin_does_not_understand(table: Any, path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    data = bb.open(path).dataset()
    partly = (field("id") < 100) & (field("half") + 1 > 0)
    now = seen()
    assert data.to_table(columns=["half"], filter=partly) == table.select(["half"]).slice(0, 100)
    assert now.groups == 1 and now.columns == {"half", "id"}
    now = seen()
    never = pc.ends_with(field("key"), pattern="7") & (field("id") < 10)
    assert data.to_table(columns=["half"], filter=never)["half"].to_pylist() == [3]
    assert now.columns == {"half", "id", "key"}  # not all, though Substrait cannot say it
    # What most rows pass is left to pyarrow: to look at all rows twice would cost more.
    mostly = (field("id") > 100) & (field("half") + 1 > 0)
    now = seen()
    assert data.to_table(columns=["half"], filter=mostly) == table.select(["half"]).slice(101)
    assert now.scans[-1]._spec.rows_returned == ROWS


def test_heads_counts_and_rows_by_number(table: Any, path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    data = bb.open(path).dataset()
    now = seen()
    assert data.head(5) == table.slice(0, 5)
    assert now.groups == 1 and now.rows == 5 and now.bytes < path.stat().st_size / 10
    now = seen()
    assert data.head(3, columns=["id"], filter=field("key") >= "k030000")["id"].to_pylist() == [30_000, 30_001, 30_002]
    assert now.groups == 1 and now.rows == 3
    now = seen()
    assert data.count_rows() == ROWS
    assert now.groups == 0 and now.bytes < 4096
    now = seen()
    assert data.take([39_999, 5, 5, 2_000], columns=["id", "wide"]) == table.select(["id", "wide"]).take([39_999, 5, 5, 2_000])
    assert now.groups == 3 and now.columns == {"id", "wide"} and now.rows == 3
    assert now.bytes < path.stat().st_size / 2
    f = bb.open(path)
    assert f.take([-1, 3], "id")["id"].to_pylist() == [ROWS - 1, 3]
    assert f.take([], "id").num_rows == 0
    with pytest.raises(bb.InvalidArgumentError, match="row 40000 of 40000"):
        f.take([ROWS])


def test_filtered_datasets(table: Any, path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    data = bb.open(path).dataset().filter(field("id") >= 100).filter(field("id") < 200)
    now = seen()
    assert data.to_table(columns=["key"]) == table.select(["key"]).slice(100, 100)
    assert now.groups == 1 and data.count_rows() == 100
    assert data.take([1], columns=["id"])["id"].to_pylist() == [101]


def test_fragments(table: Any, path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    data = bb.open(path).dataset()
    parts = list(data.get_fragments())
    assert len(parts) == GROUPS and sum(part.count_rows() for part in parts) == ROWS
    assert parts[3].to_table(columns=["id"]) == table.select(["id"]).slice(3 * GROUP, GROUP)
    assert len(list(data.get_fragments(filter=field("key") == "k002001"))) == 1
    now = seen()
    assert parts[3].to_table(columns=["id"], filter=field("id") == 3 * GROUP)["id"].to_pylist() == [3 * GROUP]
    assert now.groups == 1
    assert parts[1].head(1, columns=["id"])["id"].to_pylist() == [GROUP]
    assert parts[1].physical_schema == data.schema


@pytest.mark.parametrize("where", [where for where in ONE if "blob" not in where])
def test_datafusion(table: Any, path: pathlib.Path, seen: Callable[[], Seen], where: str) -> None:
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    context.register_dataset("ours", bb.open(path).dataset())
    context.from_arrow(table, name="theirs")
    query = "select sum(id), count(*) from {} where " + where
    now = seen()
    found = pa.Table.from_batches(context.sql(query.format("ours")).collect())
    assert found.to_pylist() == pa.Table.from_batches(context.sql(query.format("theirs")).collect()).to_pylist() or \
        list(found.to_pylist()[0].values()) == list(pa.Table.from_batches(context.sql(query.format("theirs")).collect()).to_pylist()[0].values())
    assert sum(scan.stats.row_groups_read for scan in now.scans) <= 2, where


def test_datafusion_sql(table: Any, path: pathlib.Path) -> None:
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    context.register_dataset("ours", bb.open(path).dataset())
    context.from_arrow(table, name="theirs")
    query = "select word, count(*) n, max(key) k from {} where id > 10 group by word order by word"
    both = [pa.Table.from_batches(context.sql(query.format(name)).collect()) for name in ("ours", "theirs")]
    assert both[0].to_pylist() == both[1].to_pylist()


def polars_filters(pl: Any) -> list[Any]:
    col = pl.col
    return [
        col("id") == 7,
        col("id").is_in([7, 9]),
        col("key").is_in(["k000007", "k000009", None]),
        col("key").str.starts_with("k00000"),
        col("key").str.contains("k00000", literal=True),
        col("key").str.contains("k00000"),
        (col("id") == col("half")) & (col("id") < 5),
        col("id").is_between(4, 9, closed="left"),
        col("day").is_in([datetime.date(2020, 1, 2)]),
        col("cost") < decimal.Decimal("20.5"),
        col("real") < 20.5,
        ~(col("key") >= "k000100"),
        ~col("id").is_in(list(range(100, ROWS))),
        col("span") < datetime.timedelta(seconds=5),
    ]


@pytest.mark.parametrize("number", range(14))
def test_polars_reads_one_row_group(table: Any, path: pathlib.Path, seen: Callable[[], Seen], number: int) -> None:
    pl = pytest.importorskip("polars")
    expression = polars_filters(pl)[number]
    expected = pl.from_arrow(table).filter(expression).select("id", "word")
    now = seen()
    assert bb.scan(path).filter(expression).select("id", "word").collect().equals(expected)
    is_contained = "contains" in str(expression)  # zone maps know nothing of what is inside of strings
    assert len(expected) and now.groups <= (GROUPS if is_contained else 1), str(expression)
    assert now.rows == len(expected), str(expression)
    assert now.bytes < path.stat().st_size / (1.5 if is_contained else 10)


def test_polars_limits(path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    pl = pytest.importorskip("polars")
    now = seen()
    assert bb.scan(path).head(5).collect().height == 5
    assert now.groups == 1 and now.rows == 5
    now = seen()
    assert bb.scan(path).filter(pl.col("key") >= "k030000").head(5).collect()["id"].to_list() == list(range(30_000, 30_005))
    assert now.groups <= 5
    now = seen()
    assert bb.scan(path).select(pl.len()).collect().item() == ROWS
    assert now.columns == {"id"}


def test_arrow_streams_carry_the_wanted_columns(path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    duckdb = pytest.importorskip("duckdb")
    now = seen()
    part = bb.open(path).scan(["id"], bb.col("key") == "k000007")
    assert duckdb.sql("select * from part").fetchall() == [(7,)]
    assert now.groups == 1 and now.columns == {"id"}


def test_pandas(path: pathlib.Path, seen: Callable[[], Seen]) -> None:
    pytest.importorskip("pandas")
    now = seen()
    frame = bb.open(path).scan(["id", "word"], bb.col("key").isin(["k000007"])).to_pandas()
    assert frame["id"].to_list() == [7]
    assert now.groups == 1 and now.columns == {"id", "word"}
