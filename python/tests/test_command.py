# SPDX-License-Identifier: Apache-2.0
"""The package and the command: reports, and Parquet files that the package converts."""
from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

import bobbin as bb

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

# Next to the package in a build tree, or on the PATH.
BUILT = pathlib.Path(bb.__file__).absolute().parents[2] / "bin"
COMMAND = shutil.which("bobbin", path=os.pathsep.join([str(BUILT), os.environ.get("PATH", "")]))

needs_command = pytest.mark.skipif(COMMAND is None, reason="the command is not built")


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join([str(pathlib.Path(bb.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "BOBBIN_PYTHON": sys.executable, "PYTHONPATH": places, **environment}
    return subprocess.run([str(COMMAND), *map(str, words)], env=env, capture_output=True, text=True)


@pytest.fixture
def source(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"id": range(1000), "city": ["Oslo", None] * 500}), path)
    return path


@needs_command
def test_compress_parquet(source: pathlib.Path) -> None:
    made = run("compress", source, "--goal", "compact", "--codec", "id=bitpack", "--rows-per-group", "400")
    assert made.returncode == 0 and "ratio" in made.stderr, made.stderr
    file = bb.open(f"{source}.bob")
    assert file.to_arrow() == parquet.read_table(source) and file.num_row_groups == 3
    assert file.row_groups[0]["chunks"][0]["encoding"] == "bitpack"
    again = run("compress", source)
    assert again.returncode == 1 and "exists" in again.stderr
    assert run("compress", source, "-f", "-q", "-o", source.parent / "other.name").stderr == ""
    assert bb.open(source.parent / "other.name").num_rows == 1000


@needs_command
def test_compress_says_what_is_wrong(source: pathlib.Path) -> None:
    missing = run("compress", source, BOBBIN_PYTHON="/no/such/python")
    assert missing.returncode == 1 and "pip install 'bobbin[arrow]'" in missing.stderr
    without = source.parent / "without"  # an interpreter that does not have the package
    without.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S \"$@\"\n")
    without.chmod(0o755)
    refused = run("compress", source, BOBBIN_PYTHON=str(without))
    assert refused.returncode == 1 and "Python package" in refused.stderr
    source.write_bytes(b"nothing")
    damaged = run("compress", source)
    assert damaged.returncode == 1 and damaged.stderr.startswith("bobbin: ") and "Traceback" not in damaged.stderr
    assert not os.path.exists(f"{source}.bob")
    assert run("compress", source, "--slack", "3").returncode == 2
    assert run("compress", source, "-o", "-").returncode == 2


@needs_command
def test_report(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(str(COMMAND)))
    bb.write({"x": [1, 2, 3]}, tmp_path / "t.bob")
    bb.report(tmp_path / "t.bob", tmp_path / "t.html")
    assert "<html" in (tmp_path / "t.html").read_text()
    with pytest.raises(bb.BobbinError, match="exists"):
        bb.report(tmp_path / "t.bob", tmp_path / "t.html")
    bb.report(bb.open(tmp_path / "t.bob"), tmp_path / "t.html", overwrite=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(bb.UnavailableError, match="PATH"):
        bb.report(tmp_path / "t.bob", tmp_path / "u.html")


def test_options_of_arrow_files(tmp_path: pathlib.Path) -> None:
    bb.write({"x": list(range(10_000))}, tmp_path / "t.bob")
    bb.convert(tmp_path / "t.bob", tmp_path / "plain.arrow")
    bb.convert(tmp_path / "t.bob", tmp_path / "small.arrow", compression="zstd")
    assert os.path.getsize(tmp_path / "small.arrow") < os.path.getsize(tmp_path / "plain.arrow") / 2
    for target in ("bad.arrow", "bad.parquet"):
        with pytest.raises(bb.InvalidArgumentError):
            bb.convert(tmp_path / "t.bob", tmp_path / target, goal="compact")
        assert not os.path.exists(tmp_path / target)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_removes_unfinished_files(source: pathlib.Path, number: signal.Signals) -> None:
    code = (
        "import os, signal, sys, time, bobbin._convert, bobbin.__main__ as command\n"
        f"signal.signal({int(number)}, signal.default_int_handler)\n"  # a shell's background jobs ignore SIGINT
        "def convert(*words, **options):\n"
        "    import bobbin as bb\n"
        "    with bb.Writer(words[1], {'x': 'i64'}) as writer:\n"
        "        writer.append({'x': [1]})\n"
        f"        os.kill(os.getpid(), {int(number)})\n"
        "        time.sleep(60)\n"
        "command.convert = convert\n"
        f"sys.exit(command.main(['convert', {os.fspath(source)!r}, {os.fspath(source)!r} + '.bob']))\n"
    )
    before = set(os.listdir(source.parent))
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(bb.__file__).parent.parent)}
    assert subprocess.run([sys.executable, "-c", code], env=env).returncode == 128 + number
    assert set(os.listdir(source.parent)) == before
