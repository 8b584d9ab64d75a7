# SPDX-License-Identifier: Apache-2.0
"""Random tables and filters: the same rows as pyarrow and DuckDB."""
from __future__ import annotations

import pathlib
import tempfile
from typing import Any

import pytest

import bobbin as bb

pa = pytest.importorskip("pyarrow")
hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

TYPES = {
    "i8": (pa.int8(), st.integers(-128, 127)),
    "u64": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "i64": (pa.int64(), st.integers(-5, 5)),
    "f64": (pa.float64(), st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")]))),
    "f32": (pa.float32(), st.floats(width=32)),
    "s": (pa.string(), st.text(max_size=5)),
    "b": (pa.binary(), st.binary(max_size=5)),
    "t": (pa.bool_(), st.booleans()),
    "d": (pa.date32(), st.dates()),
    "ts": (pa.timestamp("us"), st.datetimes()),
}
SETTINGS = hypothesis.settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def tables(draw: Any) -> Any:
    length = draw(st.integers(0, 40))
    columns = {}
    for name in draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, max_size=4, unique=True)):
        kind, values = TYPES[name]
        columns[name] = pa.array(draw(st.lists(st.one_of(st.none(), values), min_size=length, max_size=length)), kind)
    return pa.table(columns)


def rows_of(table: Any) -> list[str]:
    """NaN is equal to itself as text; -0.0 and 0.0 differ."""
    return [repr(row) for row in table.to_pylist()]


def written(table: Any, folder: str, **options: Any) -> bb.File:
    path = pathlib.Path(folder) / "t.bob"
    bb.write(table, path, **options)
    return bb.open(path)


@SETTINGS
@hypothesis.given(tables(), st.integers(1, 20), st.integers(0, 40), st.integers(0, 40))
def test_tables_come_back(table: Any, group: int, begin: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        f = written(table, folder, rows_per_group=group)
        assert rows_of(f.to_arrow()) == rows_of(table)
        assert rows_of(f.scan(rows=slice(begin, begin + count)).to_arrow()) == rows_of(table.slice(begin, count))
        assert rows_of(f.scan(limit=count, batch_rows=3).to_arrow()) == rows_of(table.slice(0, count))


@SETTINGS
@hypothesis.given(tables(), st.integers(1, 20), st.data())
def test_filters_find_what_pyarrow_finds(table: Any, group: int, data: Any) -> None:
    pc = pytest.importorskip("pyarrow.compute")
    name = data.draw(st.sampled_from(table.column_names))
    kind, values = TYPES[name]
    constant = data.draw(values)
    ops = ["==", "!="] if name == "t" else ["==", "!=", "<", "<=", ">", ">="]
    op = data.draw(st.sampled_from(ops))
    functions = {"==": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater,
                 ">=": pc.greater_equal}
    wanted = table.filter(functions[op](table[name], pa.scalar(constant, kind)))
    with tempfile.TemporaryDirectory() as folder:
        scan = written(table, folder, rows_per_group=group).scan(where=[(name, op, constant)])
        assert rows_of(scan.to_arrow()) == rows_of(wanted)
        assert scan.count() == len(wanted)
        negated = written(table, folder, rows_per_group=group, overwrite=True).scan(where=~bb.col(name).is_null())
        assert negated.count() == len(table) - table[name].null_count


@SETTINGS
@hypothesis.given(tables(), st.data())
def test_groups_are_those_of_duckdb(table: Any, data: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    name = data.draw(st.sampled_from(table.column_names))
    with tempfile.TemporaryDirectory() as folder:
        counts = written(table, folder).scan().group_counts(name)
        with duckdb.connect() as connection:
            connection.register("t", table)
            wanted = connection.sql(f'select "{name}", count(*) from t group by 1').fetchall()
        # 0.0 and -0.0 are one group; which of them is shown may differ.
        plain = lambda value: value + 0.0 if isinstance(value, float) else value  # noqa: E731
        assert sorted((repr(plain(key)), number) for key, number in counts.items()) == sorted(
            (repr(plain(key)), number) for key, number in wanted)
