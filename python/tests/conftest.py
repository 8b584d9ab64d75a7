# SPDX-License-Identifier: Apache-2.0
"""Files that the tests share."""
from __future__ import annotations

import datetime
import pathlib

import pytest

import bobbin as bb

ROWS = 5000


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
