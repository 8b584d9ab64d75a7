# SPDX-License-Identifier: Apache-2.0
"""Numbers computed from columns, in filters and aggregates."""
from __future__ import annotations

import decimal
import pathlib
import pickle
import random

import pytest

import bobbin as bb

D = decimal.Decimal
ROWS = 5000


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    draw = random.Random(7)
    return [{"city": f"c{draw.randrange(4)}", "qty": draw.randrange(-50, 50), "stock": draw.randrange(1 << 40),
             "price": D(draw.randrange(100_000)).scaleb(-2), "rate": draw.randrange(1000) / 8,
             "maybe": None if i % 7 == 0 else i} for i in range(ROWS)]


@pytest.fixture(scope="module")
def table(rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("formulas") / "t.bob"
    types = {"city": "utf8", "qty": "i32", "stock": "i64", "price": "decimal(2)", "rate": "f64", "maybe": "i64"}
    with bb.Writer(path, types, rows_per_group=1024) as writer:
        writer.append({name: [row[name] for row in rows] for name in types})
    return path


def test_sums(table: pathlib.Path, rows: list[dict[str, object]]) -> None:
    scan = bb.open(table).scan()
    qty, stock, price, rate = bb.col("qty"), bb.col("stock"), bb.col("price"), bb.col("rate")
    found = scan.aggregate(a=bb.sum(qty * stock), b=bb.sum(price * (1 - qty)), c=bb.max(-qty + 3), d=bb.min(2 * qty - stock),
                           e=bb.count(bb.col("maybe") + 1), f=bb.sum(rate * 0.5), g=bb.sum(price * D("1.05")))
    assert found == {
        "a": sum(r["qty"] * r["stock"] for r in rows),
        "b": sum(r["price"] * (1 - r["qty"]) for r in rows),
        "c": max(3 - r["qty"] for r in rows),
        "d": min(2 * r["qty"] - r["stock"] for r in rows),
        "e": sum(r["maybe"] is not None for r in rows),
        "f": sum(r["rate"] * 0.5 for r in rows),
        "g": sum(r["price"] * D("1.05") for r in rows),
    }
    assert scan.sum(qty * qty) == sum(r["qty"] ** 2 for r in rows)
    assert scan.sum(qty) == scan.sum("qty")
    assert scan.avg(qty + 1) == pytest.approx(sum(r["qty"] + 1 for r in rows) / ROWS)


def test_filters(table: pathlib.Path, rows: list[dict[str, object]]) -> None:
    f = bb.open(table)
    qty, stock, price = bb.col("qty"), bb.col("stock"), bb.col("price")

    def ids(where: bb.Expr) -> list[int]:
        return list(f.scan(where=where).row_ids())

    assert ids(qty * stock > 5 * stock) == [i for i, r in enumerate(rows) if r["qty"] > 5 and r["stock"] > 0]
    assert ids(100 <= price * 2) == [i for i, r in enumerate(rows) if r["price"] >= 50]
    assert ids((qty + 1).between(0, D("3.5"))) == [i for i, r in enumerate(rows) if -1 <= r["qty"] <= 2]
    assert ids(~(qty - 1 != 0)) == [i for i, r in enumerate(rows) if r["qty"] == 1]
    assert ids((qty * 2 == 8) | (bb.col("city") == "c1")) == [i for i, r in enumerate(rows) if r["qty"] == 4 or r["city"] == "c1"]
    assert ids(qty < stock) == [i for i, r in enumerate(rows) if r["qty"] < r["stock"]]


def test_groups_and_order(table: pathlib.Path, rows: list[dict[str, object]]) -> None:
    f = bb.open(table)
    cost = bb.col("price") * bb.col("qty")
    totals = {city: sum(r["price"] * r["qty"] for r in rows if r["city"] == city) for city in ("c0", "c1", "c2", "c3")}
    expected = sorted(totals.items(), key=lambda item: -item[1])
    for scan in (f.scan(), f.scan(row_groups=range(f.num_row_groups)), bb.dataset([table]).scan()):
        found = scan.group_by("city", order="sum(price * qty) desc", total=bb.sum(cost))
        assert [(row["city"], row["total"]) for row in found] == expected
        least = scan.group_by("city", order="sum(price * qty)", limit=1, n=bb.count())
        assert least[0]["city"] == expected[-1][0] and list(least[0]) == ["city", "n"]


def test_parts(table: pathlib.Path) -> None:
    f = bb.open(table)
    wanted = bb.sum(bb.col("qty") * bb.col("stock"))
    parts = [f.scan(row_groups=[group]).partial(total=wanted) for group in range(f.num_row_groups)]
    assert bb.merge(pickle.loads(pickle.dumps(parts))).result() == f.scan().aggregate(total=wanted)
    assert pickle.loads(pickle.dumps(wanted)) == wanted


def test_what_is_refused(table: pathlib.Path) -> None:
    f = bb.open(table)
    with pytest.raises(TypeError, match="unsupported operand"):
        bb.col("qty") + "1"
    with pytest.raises(TypeError, match="unsupported operand"):
        True * bb.col("qty")
    with pytest.raises(TypeError, match="unsupported operand"):
        bb.col("qty") / 2  # type: ignore[operator]
    with pytest.raises(bb.InvalidArgumentError, match="cannot compare"):
        bb.col("qty") * 2 < "x"
    with pytest.raises(bb.InvalidArgumentError, match="is_null"):
        bb.col("qty") * 2 == None  # noqa: E711
    with pytest.raises(bb.InvalidArgumentError):
        f.scan().sum(bb.col("city") * 2)
    with pytest.raises(bb.InvalidArgumentError):
        f.scan().sum(bb.col("none") * 2)
    deep = bb.col("qty")
    for _ in range(200):
        deep = deep + 1
    with pytest.raises(bb.InvalidArgumentError):
        f.scan().sum(deep)


def test_text() -> None:
    a, b = bb.col("a"), bb.col("b")
    assert repr(a * (1 - b)) == 'bobbin.Formula(("a" * (1 - "b")))'
    assert repr(-a + D("1.50") > 2.5) == 'bobbin.Expr((-"a" + 1.50) > 2.5)'
    assert repr(a < b) == 'bobbin.Expr("a" < "b")'


def test_numpy_numbers(table: pathlib.Path) -> None:
    numpy = pytest.importorskip("numpy")
    scan = bb.open(table).scan()
    assert scan.sum(numpy.int64(3) * bb.col("qty")) == scan.sum(bb.col("qty") * numpy.int32(3)) == 3 * scan.sum("qty")
