#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a hex dump in docs/format.md with the file it explains: every byte must be present and correct.

usage: check_dump.py DOCUMENT SECTION FILE
"""
import pathlib
import re
import sys

# An address, bytes, and optionally "..." for zeros up to the next multiple of 128.
LINE = re.compile(r"    ([0-9a-f]{3}): ((?:[0-9a-f]{2} +)+)(\.\.\.)?")


def check(document, number, data):
    section = re.search(rf"^## {number}\..*?(?=^## )", document, re.MULTILINE | re.DOTALL)
    if section is None:
        return f"the document has no section {number}"
    explained = set()
    for match in filter(None, map(LINE.match, section[0].splitlines())):
        first = int(match[1], 16)
        shown = bytes.fromhex(match[2].replace(" ", ""))
        if match[3]:
            shown = bytes(-first % 128)
        if data[first:first + len(shown)] != shown:
            return f"at {match[1]} the file has {data[first:first + len(shown)].hex(' ')}"
        explained.update(range(first, first + len(shown)))
    missing = set(range(len(data))) - explained
    return f"byte {min(missing):x} is not explained" if missing else None


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    document, number, file = sys.argv[1:]
    problem = check(pathlib.Path(document).read_text(encoding="utf-8"), number, pathlib.Path(file).read_bytes())
    if problem:
        print(f"{sys.argv[1]}: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
