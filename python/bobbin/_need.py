# SPDX-License-Identifier: Apache-2.0
"""Other packages, which are imported when a function needs them."""
from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import UnavailableError

_EXTRAS = {"pyarrow": "arrow"}  # those that are not called as the package


def need(name: str) -> Any:
    """A module of another package; an error that says what to install if it is not there."""
    package = name.partition(".")[0]
    try:
        return import_module(name)
    except ImportError as error:
        hint = f"pip install {package}, or 'bobbin[{_EXTRAS.get(package, package)}]'"
        raise UnavailableError(f"this needs the package {package}: {hint} ({error})") from None
