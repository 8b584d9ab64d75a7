# SPDX-License-Identifier: Apache-2.0
"""Memory and time follow what is asked, not what a file could be decoded to."""
from __future__ import annotations

import base64
import pathlib
import subprocess
import sys
import time

import pytest

import bobbin as bb

# 8000 rows of one string of a million bytes.
LONG = base64.b64decode(
    "iUJPQg0KGgoCAAAAAAAAAAEFdmFsdWUMAQtib2JiaW4uZm9ybQdzdHJpbmdzAcA+AEBhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh"
    "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhQAFigKDZ5h0VjAAXgQgAAAAAAAAAABIDAQhAHwAAAAAAAAIR"
    "AQEAAh58AwEjEAEBQEIPAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACCBIoBAgZTAgIBAQoFNwMACgoCYAD/VQAACGEBVAEC"
    "M/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAI"
    "YQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA"
    "/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz"
    "/H8CYEBBVQAACGEBVAECMjwCAQAAAAAQAAAAIAAAADAAAABAAAAAUAAAAGAAAABwAAAAgAAAAJAAAACgAAAAsAAAAMAAAADQAAAA"
    "4AAAAPAAAAAAAQAAwL3w/0BCDwAAAAAAFQIAAAAAAACxiqKsZOU5YgIAAAAAAAAAiUJPQg0KGgo=")
MOST_MIB = 64

MEASURED = """
import resource, sys
import bobbin as bb
{imports}

def taken():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

f = bb.open(sys.argv[1])
before = taken()
{code}
print(taken() - before)
"""


def mib_taken(path: pathlib.Path, code: str, imports: str = "") -> int:
    """The memory that some code takes in a process of its own; `f` is the open file."""
    script = MEASURED.format(imports=imports, code=code)
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.fixture
def long_file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "long.bob"
    path.write_bytes(LONG)
    return path


@pytest.mark.parametrize("code", [
    "assert len(f.scan().aggregate(least=bb.min('value'), most=bb.max('value'))['most']) == 1_000_000",
    "assert f.scan().aggregate(n=bb.count_distinct('value')) == {'n': 1}",
    "assert f.scan().group_by('value', n=bb.count(), least=bb.min('value'))[0]['n'] == 8000",
    "assert len(f.scan(where=bb.col('value') == bb.col('value')).row_ids()) == 8000",
    "assert f.scan(where=bb.col('value').ilike('%A%')).count() == 8000",
    "f.verify()",
])
def test_answers_take_little_memory(long_file: pathlib.Path, code: str) -> None:
    assert mib_taken(long_file, code) <= MOST_MIB


@pytest.mark.parametrize("scan", ["f.scan(rows=(0, 400))", "f.scan(where=bb.col('value').is_not_null(), rows=(0, 400))"])
def test_batches_are_bounded_in_bytes(long_file: pathlib.Path, scan: str) -> None:
    pytest.importorskip("pyarrow")
    code = f"rows = 0\nfor batch in {scan}.reader():\n    rows += batch.num_rows\n    assert batch.nbytes < 20 << 20\nassert rows == 400"
    assert mib_taken(long_file, code, "import pyarrow") <= MOST_MIB


def test_a_limit_reads_that_many_rows(long_file: pathlib.Path) -> None:
    pytest.importorskip("pyarrow")
    code = "assert f.scan(limit=2).to_arrow().num_rows == 2"
    assert mib_taken(long_file, code, "import pyarrow") <= MOST_MIB


def test_selecting_columns_takes_no_search(tmp_path: pathlib.Path) -> None:
    names = [f"column {i}" for i in range(20_000)]
    path = tmp_path / "wide.bob"
    bb.write({name: [1] for name in names}, path)
    f = bb.open(path)
    begin = time.process_time()
    assert f.scan(names).count() == 1
    assert time.process_time() - begin < 1
