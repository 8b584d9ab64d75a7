# SPDX-License-Identifier: Apache-2.0
"""`python3 -m bobbin convert IN OUT`: what the command uses for Parquet and Arrow files."""
from __future__ import annotations

import argparse
import signal
import sys
from typing import Any

from ._convert import convert
from .errors import BobbinError, UnavailableError

_MISSING = 3  # the exit status if a package is not installed
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m bobbin",
                                     description="Converts between .bob, Parquet and Arrow files.")
    parser.add_argument("verb", choices=["convert"])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--goal", choices=["smallest", "fastest", "compact"])
    parser.add_argument("--rows-per-group", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--codec", action="append", default=[], metavar="[COLUMN=]CODEC")
    return parser.parse_args(arguments)


def _options(given: argparse.Namespace) -> dict[str, Any]:
    """Those that were given."""
    options = {name: getattr(given, name) for name in ("goal", "rows_per_group", "threads")}
    named = [text.rpartition("=") for text in given.codec]
    options["codec"] = next((codec for name, _, codec in named if not name), None)
    options["column_codecs"] = {name: codec for name, _, codec in named if name} or None
    return {name: value for name, value in options.items() if value is not None}


def _end(number: int, frame: object) -> None:
    """Ends the process so that unfinished files are removed. The command may pass on a signal that came here too."""
    for one in _SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    raise SystemExit(128 + number)


def main(arguments: list[str] | None = None) -> int:
    """Converts a file; returns the exit status."""
    given = _arguments(arguments)
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        convert(given.source, given.target, overwrite=given.overwrite, **_options(given))
    except (ImportError, UnavailableError) as error:
        print(f"bobbin: {error}", file=sys.stderr)
        return _MISSING
    except (BobbinError, OSError, ValueError, NotImplementedError, TypeError) as error:
        # pyarrow's exceptions are among them: for types that it cannot convert, the last two.
        print(f"bobbin: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
