# SPDX-License-Identifier: Apache-2.0
"""Errors: files that are missing, in the way or damaged, and Ctrl-C."""
from __future__ import annotations

import errno
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import time
from array import array

import pytest

import bobbin as bb


def test_errors_are_the_builtins(tmp_path: pathlib.Path) -> None:
    missing = tmp_path / "missing.bob"
    with pytest.raises(FileNotFoundError, match="missing.bob") as caught:
        bb.open(missing)
    assert caught.value.errno == errno.ENOENT and isinstance(caught.value, bb.FileError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    bb.write({"x": [1]}, tmp_path / "x.bob")
    with pytest.raises(FileExistsError):
        bb.write({"x": [1]}, tmp_path / "x.bob")
    bb.write({"x": [1, 2]}, tmp_path / "x.bob", overwrite=True)
    assert bb.open(tmp_path / "x.bob").num_rows == 2
    with pytest.raises(OSError):
        bb.open(tmp_path)
    with pytest.raises(FileNotFoundError):
        bb.write({"x": [1]}, tmp_path / "no" / "x.bob")
    with pytest.raises(ValueError):
        bb.write({"x": [1]}, tmp_path / "y.bob", codec="no such codec")
    with pytest.raises(ValueError):
        bb.write(5, tmp_path / "y.bob")
    with pytest.raises(bb.BobbinError) as unavailable:
        bb.open(tmp_path / "x.bob").scan(where="x < 3", backend="cuda").count()
    assert unavailable.value.code in ("unavailable", "device")


def test_damaged_files_raise(plain: pathlib.Path) -> None:
    whole = plain.read_bytes()
    drawn = random.Random(5)
    refused = 0
    for _ in range(150):
        bad = bytearray(whole)
        for _ in range(drawn.randint(1, 8)):
            bad[drawn.randrange(len(bad))] ^= drawn.randrange(1, 256)
        try:
            f = bb.open(bytes(bad))
            f.verify()
            for field in f.schema:
                f.scan(field.name).count()
            f.scan().row_ids()
        except bb.BobbinError as error:
            assert error.code in ("corrupt", "unsupported"), error
            refused += 1
    assert refused > 140
    for size in (0, 1, 7, len(whole) // 2, len(whole) - 1):
        with pytest.raises(bb.CorruptError):
            bb.open(whole[:size])


def test_ctrl_c_ends_a_long_call(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "long.bob"
    bb.write({"x": [i * 7919 % 10007 for i in range(300_000)]}, path)
    code = (
        "import bobbin as bb, sys\n"
        f"f = bb.open({os.fspath(path)!r})\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    while True: f.verify()\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(42)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 42, errors


WRITES = {
    "write": "bb.write(columns, path)",
    "writer": "with bb.Writer(path, {name: 'i64' for name in columns}) as w: w.append(columns)",
    "stream": "bb.write(pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()}), path)",
}


@pytest.mark.parametrize("name", WRITES)
def test_ctrl_c_ends_a_write(tmp_path: pathlib.Path, name: str) -> None:
    if name == "stream":
        pytest.importorskip("pyarrow")
    code = (
        "import bobbin as bb, os, sys\n"
        f"{'import pyarrow' if name == 'stream' else ''}\n"
        "from array import array\n"
        "columns = {f'c{i}': array('q', [k * (i + 7919) % 10007 for k in range(5000)]) * 400 for i in range(12)}\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    for turn in range(1000):\n"
        f"        path = os.path.join({os.fspath(tmp_path)!r}, f'{{turn}}.bob')\n"
        f"        {WRITES[name]}\n"
        "        os.remove(path)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(42)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=120)
    assert child.returncode == 42, errors
    assert len(os.listdir(tmp_path)) <= 1  # none, unless the signal came right after a file was finished


def test_an_exception_of_progress_cancels_the_work(tmp_path: pathlib.Path) -> None:
    column = array("q", [i * 7919 % 10007 for i in range(4096)]) * 2048
    bb.write({"x": column}, tmp_path / "long.bob", rows_per_group=4096, codec="bitpack")
    file = bb.open(tmp_path / "long.bob")
    before = set(os.listdir("/proc/self/task"))
    seen: list[tuple[float, float, set[str]]] = []

    def stop(share: float) -> None:
        if share > 0:
            seen.append((share, time.process_time() - started, set(os.listdir("/proc/self/task")) - before))
            raise KeyError(share)

    started = time.process_time()
    try:
        with pytest.raises(KeyError):
            file.verify(stop, backend="emulator")  # slow
    except bb.UnavailableError:
        pytest.skip("this build has no emulator")
    share, used, threads = seen[0]
    assert len(seen) == 1
    if share > 0.5:
        pytest.skip("the work was nearly done when it was cancelled")
    limit = time.monotonic() + 60
    while threads & set(os.listdir("/proc/self/task")) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not threads & set(os.listdir("/proc/self/task"))
    # In CPU time, which does not depend on what else the machine does: the rest was not done.
    assert time.process_time() - started - used < used / share * (1 - share) / 2


def test_work_of_a_dataset_ends_when_nobody_waits(tmp_path: pathlib.Path) -> None:
    from bobbin.partials import Question

    column = array("q", [i * 7919 % 10007 for i in range(4096)]) * 256
    bb.write({"x": column}, tmp_path / "long.bob", rows_per_group=4096, codec="bitpack")
    scan = bb.open(tmp_path / "long.bob").scan((), "x > 5", backend="emulator")

    def beat() -> None:
        raise KeyError("ended")

    try:
        with pytest.raises(KeyError, match="ended"):
            Question([], {"n": bb.sum("x")}, "", {"x": "i64"}).of(scan._file, scan._spec, beat)
    except bb.UnavailableError:
        pytest.skip("this build has no emulator")


def test_an_exception_of_progress_ends_the_write(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")

    def batches() -> object:
        for _ in range(1000):
            time.sleep(0.02)
            yield pyarrow.record_batch({"x": [1]})

    def stop(rows: int) -> None:
        raise KeyError(rows)

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"x": pyarrow.int64()}), batches())
    with pytest.raises(KeyError):
        bb.write(reader, tmp_path / "p.bob", progress=stop)
    assert os.listdir(tmp_path) == []


def test_errors_of_a_producer_are_shown(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")

    def batches() -> object:
        yield pyarrow.record_batch({"x": [1]})
        raise RuntimeError("the well is dry")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"x": pyarrow.int64()}), batches())
    with pytest.raises(OSError, match="the well is dry"):
        bb.write(reader, tmp_path / "p.bob")
    assert os.listdir(tmp_path) == []
