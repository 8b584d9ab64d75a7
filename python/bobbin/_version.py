# SPDX-License-Identifier: Apache-2.0
"""The version of the library that the package was built with."""
from . import _core

__version__: str = _core.version
