#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what clang-format and clang-tidy do not: licence lines, tabs, line length, machine paths, leftovers, links, and
odd idioms.

Idioms are counted per folder. tools/idioms.json has the allowed counts, which may only fall: --lower writes the current
ones if they are smaller.

usage: check_style.py [--root DIR] [--lower] | --self-test
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CPP_SUFFIXES = {".hpp", ".h", ".cpp", ".cu", ".cuh"}
SCRIPT_SUFFIXES = {".py", ".sh", ".cmake", ".fbs"}
MAX_COLUMNS = 110
MAX_LINES = 500  # a reason to think about splitting, not an error
SPDX = "SPDX-License-Identifier: Apache-2.0"
# Data for tests and fuzzers: not checked for style.
DATA_FOLDERS = ("tests/golden", "fuzz/corpus", "bench/results")
RECORDED_SUFFIXES = {".stdout", ".stderr", ".exit"}  # what programs printed: blanks and tabs are theirs
SKIPPED_FOLDERS = {".git", "build", "carry", ".cache", "__pycache__"}

# Written in pieces, so that this file passes its own check.
MACHINE_PATH = re.compile(r"(?<![\w.$}~/-])/(" + "|".join(["work", "root", "home"]) + r")/")
LEFTOVER = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)

# Each idiom, and what to write instead. Line breaks and comment signs count as blanks.
IDIOMS = {
    "stands": (r"\bst(?:ands?|ood)\b", "'is', 'appears' or 'means'"),
    "one a X": (r"\b(?:one|an? \w+) an? (?:row|column|vector|warp|block|thread|value|chunk|tile|group|line|string|core|"
                r"lane|file|entry|byte|batch|child|buffer|condition|aggregate|span|cell)\b", "'per'"),
    "is no X": (r"(?<![Tt]here )\b(?:is|are) no (?!longer\b|more\b|less\b)\w+", "'is not a'"),
    "tells": (r"\b(?:told|tells)\b", "'says', 'reports' or 'prints'"),
    "behind": (r"\bbehind\b", "'after'"),
    "so many": (r"\bso many\b", "a number, or 'that many'"),
    "side by side": (r"\bside[ -]by[ -]side\b", "'in parallel' or 'at once'"),
    "Of X": (r"(?m)(?://+|#+|/\*+|^[ \t]*\*|\"\"\")[ \t]*Of\b", "a sentence with a subject"),
}
WITH_COMMENT_SIGNS = {"Of X"}  # searched in the text as it is: only the beginning of a comment counts
IDIOM_COUNTS = "tools/idioms.json"
SEPARATORS = re.compile(r"\s+(?:(?://|#|\*)\s+)?")


def list_files(root):
    """Tracked files and untracked ones that are not ignored; all files if there is no git."""
    try:
        output = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                                capture_output=True).stdout.decode()
        names = [name for name in output.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(pathlib.Path(n) for n in set(names) if (root / n).is_file())


def wants_licence(path, text):
    return (path.suffix in CPP_SUFFIXES | SCRIPT_SUFFIXES or path.name == "CMakeLists.txt" or text.startswith("#!")
            or path.suffix == ".in")


# Wrong on GPUs without a warning, so refused in every header that is not for the host alone.
DEVICE_TRAP = "std::countr_zero"
HOST_ONLY = {"bit_scan.hpp", "host_loops.hpp", "cpu_loops.hpp"}


def is_for_devices(path):
    return path.parts[0] == "src" and path.suffix in {".hpp", ".cuh", ".cu"} and path.name not in HOST_ONLY


class Checker:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.problems = []
        self.warnings = []
        self.idioms = collections.defaultdict(collections.Counter)  # by folder, then by idiom

    def check_lines(self, path, text):
        is_cpp = path.suffix in CPP_SUFFIXES
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{path}:{number}"
            recorded = path.suffix in RECORDED_SUFFIXES
            if "\t" in line and not recorded:
                self.problems.append(f"{where}: tab")
            if is_cpp and len(line) > MAX_COLUMNS:
                self.problems.append(f"{where}: {len(line)} columns, at most {MAX_COLUMNS} allowed")
            if line != line.rstrip() and not recorded:
                self.problems.append(f"{where}: trailing blanks")
            if MACHINE_PATH.search(line):
                self.problems.append(f"{where}: a machine-specific path")
            if DEVICE_TRAP in line and is_for_devices(path):
                self.problems.append(f"{where}: nvcc makes a constant of {DEVICE_TRAP}: see core/bit_scan.hpp")
            if LEFTOVER.search(line):
                self.problems.append(f"{where}: unfinished ({LEFTOVER.search(line).group()})")

    def check_links(self, path, text):
        blanked = CODE_BLOCK.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        for match in LINK.finditer(blanked):
            target = match.group(1).split("#")[0]
            if not target or re.match(r"^[a-z]+:", target):
                continue
            if not (self.root / path.parent / target).exists():
                line = blanked.count("\n", 0, match.start()) + 1
                self.problems.append(f"{path}:{line}: {target} does not exist")

    def count_idioms(self, path, text):
        folder = path.parts[0] if len(path.parts) > 1 else "."
        plain = SEPARATORS.sub(" ", text)
        for idiom, (pattern, _) in IDIOMS.items():
            self.idioms[folder][idiom] += len(re.findall(pattern, text if idiom in WITH_COMMENT_SIGNS else plain))

    def allowed_idioms(self):
        path = self.root / IDIOM_COUNTS
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def check_idioms(self):
        allowed = self.allowed_idioms()
        for folder, counts in sorted(self.idioms.items()):
            for idiom, count in counts.items():
                most = allowed.get(folder, {}).get(idiom, 0)
                if count > most:
                    self.problems.append(f"{folder}: '{idiom}' {count} times, {most} allowed: write {IDIOMS[idiom][1]}")

    def lower_idioms(self):
        """Writes the counts. An existing count never rises."""
        allowed = self.allowed_idioms()
        lowered = {folder: {idiom: min(count, allowed.get(folder, {}).get(idiom, count))
                            for idiom, count in counts.items() if count > 0}
                   for folder, counts in sorted(self.idioms.items()) if any(counts.values())}
        (self.root / IDIOM_COUNTS).write_text(json.dumps(lowered, indent=2) + "\n", encoding="utf-8")

    def check_file(self, path):
        data = (self.root / path).read_bytes()
        if b"\0" in data:
            return
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self.problems.append(f"{path}: not UTF-8")
            return
        if text and not text.endswith("\n") and path.suffix not in RECORDED_SUFFIXES:
            self.problems.append(f"{path}: no newline at the end of the file")
        if wants_licence(path, text) and SPDX not in "".join(text.splitlines(keepends=True)[:2]):
            self.problems.append(f"{path}:1: no line '{SPDX}'")
        self.check_lines(path, text)
        if path.name not in ("check_style.py", "idioms.json"):  # which have to name them
            self.count_idioms(path, text)
        if path.suffix in CPP_SUFFIXES and text.count("\n") > MAX_LINES:
            self.warnings.append(f"{path}: {text.count(chr(10))} lines: can it be split?")
        if path.suffix == ".md":
            self.check_links(path, text)

    def check(self):
        for path in list_files(self.root):
            if path.name != "LICENSE" and not any(path.is_relative_to(f) for f in DATA_FOLDERS):
                self.check_file(path)
        self.check_idioms()
        return self.problems


GOOD = {
    "src/a.cpp": f"// {SPDX}\nint a;\n",
    "run": f"#!/bin/sh\n# {SPDX}\n",
    "docs/a.md": "[the source](../src/a.cpp) [away](https://example.org) [here](#top)\n",
}
PLANTED = [
    ({"src/b.cpp": "int b;\n"}, "src/b.cpp:1: no line"),
    ({"src/b.cpp": f"// {SPDX}\n\tint b;\n"}, "src/b.cpp:2: tab"),
    ({"src/b.cpp": f"// {SPDX}\n//{'x' * MAX_COLUMNS}\n"}, "112 columns"),
    ({"src/b.cpp": f"// {SPDX}\nint b; \n"}, "trailing blanks"),
    ({"src/b.cpp": f"// {SPDX}\nint b;"}, "no newline"),
    ({"docs/b.md": "see /" + "home/somebody/x\n"}, "a machine-specific path"),
    ({"docs/b.md": "TO" + "DO\n"}, "unfinished"),
    ({"docs/b.md": "first\n[gone](gone.md)\n"}, "docs/b.md:2: gone.md does not exist"),
    ({"docs/b.md": "one launch\nstands here\n"}, "docs: 'stands' 1 times, 0 allowed"),
    ({"src/b.cpp": f"// {SPDX}\n// a launch a\n// column\n"}, "write 'per'"),
    ({"docs/b.md": "x is no backend\n"}, "write 'is not a'"),
    ({"docs/b.md": "a.cpp tells it\n"}, "write 'says'"),
    ({"docs/b.md": "behind it\n"}, "write 'after'"),
    ({"docs/b.md": "so many\n"}, "write a number"),
    ({"docs/b.md": "two of them, side\nby side\n"}, "docs: 'side by side' 1 times"),
    ({"src/b.cpp": f"// {SPDX}\n  // Of rows without nulls.\n"}, "src: 'Of X' 1 times"),
    ({"src/b.h": f"/* {SPDX} */\n/* Of rows.\n * Of nulls. */\n"}, "src: 'Of X' 2 times"),
    ({"python/b.py": f"# {SPDX}\n\"\"\"Of the first file.\"\"\"\n# Of it\n"}, "python: 'Of X' 2 times"),
    ({"docs/b.md": "behind, behind\n", IDIOM_COUNTS: '{"docs": {"behind": 1}}\n'}, "docs: 'behind' 2 times, 1 allowed"),
]
ALLOWED = [
    {"docs/b.md": "there is no GPU, it is no longer there, and one more\n"},
    {"src/b.cpp": f"// {SPDX}\n// The end. Often it is that\n// of a file. Of these: \"Of X\".\n"},
    {"docs/b.md": "behind\n", IDIOM_COUNTS: '{"docs": {"behind": 1}}\n'},
]


def self_test():
    failures = 0
    for files, expected in [({}, None)] + [(files, None) for files in ALLOWED] + PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (GOOD | files).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            problems = Checker(root).check()
        found = not problems if expected is None else any(expected in p for p in problems)
        if not found:
            failures += 1
            print(f"self-test: expected {expected or 'no problem'}, got {problems}", file=sys.stderr)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--lower", action="store_true", help=f"write the counts of idioms to {IDIOM_COUNTS}")
    parser.add_argument("--self-test", action="store_true", help="check the checker on planted violations")
    args = parser.parse_args()
    if args.self_test:
        return 1 if self_test() else 0
    checker = Checker(args.root)
    problems = checker.check()
    if args.lower:
        checker.lower_idioms()
    for warning in checker.warnings:
        print(f"warning: {warning}")
    print("\n".join(problems), end="\n" if problems else "")
    print(f"style: {len(problems)} problems" if problems else "style: in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
