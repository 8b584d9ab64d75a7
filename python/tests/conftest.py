# SPDX-License-Identifier: Apache-2.0
"""Files that the tests share, and what they need."""
from __future__ import annotations

import array
import datetime
import functools
import pathlib

import pytest

import bobbin as bb

ROWS = 5000


@functools.cache
def emulator_is_here() -> bool:
    try:
        bb.encode(array.array("q", [1, 2, 3])).to_device("emulator")
    except bb.UnavailableError:
        return False
    return True


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "emulator: needs a build with the emulator")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("emulator") is not None and not emulator_is_here():
        pytest.skip("this build has no emulator")


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A table of plain Python values: nothing else needs to be installed."""
    path = tmp_path_factory.mktemp("plain") / "plain.bob"
    columns = {
        "id": list(range(ROWS)),
        "price": [i % 100 / 4 for i in range(ROWS)],
        "city": [None if i % 50 == 0 else f"city {i % 9}" for i in range(ROWS)],
        "flag": [i % 3 == 0 for i in range(ROWS)],
        "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i // 100) for i in range(ROWS)],
        "raw": [bytes([i % 256, 255]) for i in range(ROWS)],
        "maybe": [None if i % 7 == 0 else i for i in range(ROWS)],
    }
    bb.write(columns, path, rows_per_group=1024, metadata={"who": "we"})
    return path
