# SPDX-License-Identifier: Apache-2.0
"""Dask, on a cluster of two processes: everything equals the answer of one process."""
from __future__ import annotations

import os
import pathlib
import signal
import time
from typing import Any, Iterator

import pytest

import bobbin as bb

pa = pytest.importorskip("pyarrow")
pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

from test_datasets import AGGREGATES, FILTERS, make_table  # noqa: E402

FILES = 10


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as made:
            yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("dask")
    table = make_table()
    for i in range(FILES):
        bb.write(table.slice(i * 1500, 1500), made / f"part-{i:02}.bob", rows_per_group=500)
    return made


@pytest.mark.parametrize("where", FILTERS)
def test_rows(client: Any, folder: pathlib.Path, where: Any) -> None:
    expected = bb.dataset(folder).scan(["id", "city", "rare"], where).to_arrow()
    frame = bb.dask.read(folder, columns=["id", "city", "rare"], where=where)
    found = frame.compute()
    assert found["id"].tolist() == expected["id"].to_pylist()
    assert pa.array(found["city"]).to_pylist() == expected["city"].to_pylist()
    assert pa.array(found["rare"]).to_pylist() == expected["rare"].to_pylist()
    assert frame["id"].sum().compute() == sum(expected["id"].to_pylist())
    assert frame.dtypes["id"] == found.dtypes["id"] and frame.dtypes["rare"] == found.dtypes["rare"]


def test_zone_maps_leave_partitions_out(client: Any, folder: pathlib.Path) -> None:
    assert bb.dask.read(folder).npartitions == FILES
    assert bb.dask.read(folder, where=bb.col("id") < 100).npartitions == 1
    assert len(bb.dask.read(folder, where=bb.col("id") < 0)) == 0


@pytest.mark.parametrize("where", FILTERS)
def test_answers(client: Any, folder: pathlib.Path, where: Any) -> None:
    scan = bb.dataset(folder).scan(where=where)
    # As text: NaN is equal to itself, and floats are equal to the bit.
    found = bb.dask.aggregate(folder, where=where, **AGGREGATES).compute()
    assert repr(found) == repr(scan.aggregate(**AGGREGATES))
    grouped = bb.dask.group_by(folder, ["part", "city"], where=where, order="count() desc", limit=7, **AGGREGATES)
    assert repr(grouped.compute()) == repr(scan.group_by(["part", "city"], order="count() desc", limit=7, **AGGREGATES))
    assert bb.dask.group_counts(folder, "city", where=where).compute() == scan.group_counts("city")


def hold(marks: pathlib.Path, value: Any) -> Any:
    """The value, after release() has been called. Leaves the number of the process that waits."""
    (marks / f"{os.getpid()}.waits").touch()
    limit = time.monotonic() + 120
    while not (marks / "released").exists() and time.monotonic() < limit:
        time.sleep(0.01)
    return value


def kill_a_holder(marks: pathlib.Path) -> None:
    """One of the processes that wait in hold(); the others then go on."""
    limit = time.monotonic() + 60
    while not (found := list(marks.glob("*.waits"))):
        assert time.monotonic() < limit, "no worker has begun"
        time.sleep(0.01)
    os.kill(int(found[0].stem), signal.SIGKILL)
    (marks / "released").touch()


def test_a_worker_dies(client: Any, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import cloudpickle
    import sys

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    frame = bb.dask.read(folder)
    held = frame.map_partitions(lambda part: hold(tmp_path, part), meta=frame._meta)
    running = client.compute(held["id"].sum())
    kill_a_holder(tmp_path)
    assert running.result(timeout=120) == sum(range(FILES * 1500))


def test_a_worker_dies_that_has_answers_to_compute(client: Any, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import cloudpickle
    import sys

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    client.wait_for_workers(2, timeout=120)
    data = bb.dataset(folder)
    holders = [client.submit(hold, tmp_path, i) for i in range(2)]
    running = client.compute([bb.dask.group_by(data, "city", total=bb.sum("cost"), n=bb.count()) for _ in range(5)])
    kill_a_holder(tmp_path)
    expected = data.scan().group_by("city", total=bb.sum("cost"), n=bb.count())
    assert all(one.result(timeout=120) == expected for one in running)
    assert [one.result(timeout=120) for one in holders] == [0, 1]


def test_rows_without_columns_are_counted(client: Any, folder: pathlib.Path) -> None:
    assert len(bb.dask.read(folder, columns=[]).compute()) == FILES * 1500
    assert len(bb.dask.read(folder, columns=[], where=bb.col("id") < 100).compute()) == 100


def test_a_file_changes(client: Any, tmp_path: pathlib.Path) -> None:
    for i in range(3):
        bb.write({"x": [i, 5]}, tmp_path / f"{i}.bob")
    frame = bb.dask.read(tmp_path)
    total = bb.dask.aggregate(tmp_path, total=bb.sum("x"))
    assert frame["x"].sum().compute() == total.compute()["total"] == 18
    bb.write({"x": [8, 8]}, tmp_path / "1.bob", overwrite=True)
    for question in (frame["x"].sum(), total):
        with pytest.raises(bb.ChangedFileError, match=r"1\.bob: the file changed"):
            question.compute()
