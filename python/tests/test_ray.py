# SPDX-License-Identifier: Apache-2.0
"""Ray, on a local cluster: everything equals the answer of one process. Skipped where Ray is not installed."""
from __future__ import annotations

import os
import pathlib
import threading
import time
from typing import Any, Iterator

import pytest

import bobbin as bb

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray would send statistics

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from test_datasets import AGGREGATES, FILTERS, make_table, rows_of  # noqa: E402


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("ray")
    table = make_table()
    for i in range(5):
        bb.write(table.slice(i * 3000, 3000), made / f"part-{i}.bob", rows_per_group=500)
    return made


def rows(found: Any) -> list[str]:
    return sorted(repr(row) for row in found.take_all())


@pytest.mark.parametrize("where", [FILTERS[0], FILTERS[3], FILTERS[6]])
def test_rows(cluster: None, folder: pathlib.Path, where: Any) -> None:
    expected = bb.dataset(folder).scan(["id", "city"], where).to_arrow()
    assert rows(bb.ray.read(folder, columns=["id", "city"], where=where)) == sorted(rows_of(expected))


def test_columns_and_filters_are_pushed_down(cluster: None, folder: pathlib.Path) -> None:
    from ray.data.expressions import col

    found = bb.ray.read(folder, where=bb.col("part") > 0).filter(expr=(col("id") < 3500) & (col("city") == "city 4"))
    expected = bb.dataset(folder).scan("id", "part > 0 and id < 3500 and city = 'city 4'").to_arrow()
    assert rows(found.select_columns(["id"])) == sorted(rows_of(expected))


@pytest.mark.parametrize("where", [FILTERS[0], FILTERS[1], FILTERS[6]])
def test_rows_are_counted(cluster: None, folder: pathlib.Path, where: Any) -> None:
    assert bb.ray.read(folder, where=where).count() == bb.dataset(folder).scan(where=where).count()


def test_rows_without_columns_are_counted(folder: pathlib.Path) -> None:
    source = bb.ray.BobbinDatasource(bb.dataset(folder), [], bb.col("id") < 100)
    assert sum(block.num_rows for task in source.get_read_tasks(1) for block in task()) == 100
    for expression, expected in ((None, 15_000), (pc.field("id") < 3500, 3500)):
        found = (bb.ray._read(piece, [], None, pa.schema({}), expression) for piece in bb.dataset(folder).pieces())
        assert sum(table.num_rows for table in found) == expected


@pytest.mark.parametrize("where", FILTERS)
def test_answers(cluster: None, folder: pathlib.Path, where: Any) -> None:
    scan = bb.dataset(folder).scan(where=where)
    assert repr(bb.ray.aggregate(folder, where=where, **AGGREGATES)) == repr(scan.aggregate(**AGGREGATES))
    grouped = bb.ray.group_by(folder, "city", where=where, order="count() desc", limit=4, **AGGREGATES)
    assert repr(grouped) == repr(scan.group_by("city", order="count() desc", limit=4, **AGGREGATES))
    assert bb.ray.group_counts(folder, "city", where=where) == scan.group_counts("city")


def kill_a_worker() -> bool:
    """A process of Ray's that runs slow_count()."""
    import psutil

    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        for process in psutil.Process().children(recursive=True):
            try:
                title = " ".join(process.cmdline())
            except psutil.Error:
                continue
            if title.startswith("ray::slow_count"):
                process.kill()
                return True
        time.sleep(0.01)
    return False


def test_a_worker_dies(cluster: None, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    released = tmp_path / "released"

    @ray.remote
    def slow_count(path: str) -> int:
        limit = time.monotonic() + 120
        while not released.exists() and time.monotonic() < limit:
            time.sleep(0.01)
        return bb.open(path).scan(where=bb.col("id") >= 0).count()

    killed: list[bool] = []

    def kill() -> None:
        killed.append(kill_a_worker())
        released.touch()

    killer = threading.Thread(target=kill)
    running = [slow_count.remote(path) for path in bb.dataset(folder).paths]
    killer.start()
    assert sum(ray.get(running)) == 15_000
    killer.join()
    assert killed == [True]
    assert bb.ray.aggregate(folder, n=bb.count()) == {"n": 15_000}


def test_a_file_changes(cluster: None, tmp_path: pathlib.Path) -> None:
    for i in range(2):
        bb.write({"x": [i, 5]}, tmp_path / f"{i}.bob")
    data = bb.dataset(tmp_path)
    assert bb.ray.aggregate(data, total=bb.sum("x")) == {"total": 11}
    bb.write({"x": [8, 8]}, tmp_path / "1.bob", overwrite=True)
    with pytest.raises(bb.ChangedFileError, match=r"1\.bob: the file changed"):
        bb.ray.aggregate(data, total=bb.sum("x"))
    with pytest.raises(Exception, match=r"1\.bob: the file changed"):
        bb.ray.read(data).take_all()
