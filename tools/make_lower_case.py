#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/query/lower_case.hpp: the characters that have one lower-case character, from Python's Unicode data."""

import pathlib
import unicodedata

HEAD = """// SPDX-License-Identifier: Apache-2.0
// Characters beyond ASCII that have one lower-case character, of Unicode {version}: every `step`-th from
// `first` to `last`, and what to add. Made by tools/make_lower_case.py.
#pragma once

#include <cstdint>

namespace bobbin::query {{

struct CaseRange {{
  uint32_t first;
  uint32_t last;
  uint32_t step;
  int32_t delta;
}};

// clang-format off
inline constexpr CaseRange kLowerCase[] = {{
"""
TAIL = """};
// clang-format on

}  // namespace bobbin::query
"""


def pairs():
    for code in range(0x80, 0x110000):
        lower = chr(code).lower()
        if len(lower) == 1 and ord(lower) != code:
            yield code, ord(lower) - code


def ranges():
    """Runs of characters one or two apart with the same difference."""
    runs = []
    for code, delta in pairs():
        if runs:
            first, last, step, before = runs[-1]
            gap = code - last
            if delta == before and gap in (1, 2) and (first == last or gap == step):
                runs[-1] = (first, code, gap, delta)
                continue
        runs.append((code, code, 1, delta))
    return runs


def main():
    lines = "".join("    {0x%x, 0x%x, %d, %d},\n" % run for run in ranges())
    path = pathlib.Path(__file__).resolve().parent.parent / "src/query/lower_case.hpp"
    path.write_text(HEAD.format(version=unicodedata.unidata_version) + lines + TAIL)


if __name__ == "__main__":
    main()
