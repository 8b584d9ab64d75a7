# SPDX-License-Identifier: Apache-2.0
"""Reports about files, made by the command."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

from .errors import BobbinError, UnavailableError
from .file import File

if TYPE_CHECKING:
    Path = Union[str, os.PathLike[str]]


def report(source: Any, out: Path, *, peers: bool = False, overwrite: bool = False) -> None:
    """Writes an HTML page about a file's sizes, encodings and zone maps, without scripts and network. `peers` also
    compresses the columns with zstd and lz4, to compare. Needs the command `bobbin` on the PATH."""
    import shutil
    import subprocess

    command = shutil.which("bobbin")
    if command is None:
        raise UnavailableError("bb.report needs the command bobbin, which is not on the PATH")
    path = source._absolute if isinstance(source, File) and source.path is not None else os.fspath(source)
    options = ["-q"] + ([] if peers else ["--no-peers"]) + (["-f"] if overwrite else [])
    done = subprocess.run([command, "report", "-o", os.fspath(out), *options, "--", path], stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise BobbinError(done.stderr.decode(errors="replace").strip().removeprefix("bobbin: "))
