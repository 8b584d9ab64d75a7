#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that everything that lists the codecs agrees with src/codecs/list.hpp.

Each listed codec has a folder with a constant of its name, a spec and tests, and a row in the tables of docs/codecs.md,
docs/format.md and docs/cli.md and of the Python reader. docs/capabilities.md is checked by a test of its own.

usage: check_codecs.py [--root DIR] | --self-test
"""
import argparse
import pathlib
import re
import shutil
import sys
import tempfile

ENTRY = re.compile(r"^\s*CODEC\((\w+), (\d+)\)", re.MULTILINE)
FIELD = r"\.{} = ([^,}}]+)"
# What --codec does not take: a chunk with nulls gets it by itself.
NOT_CHOSEN = {"masked"}


class Codec:
    def __init__(self, name, number, constant):
        self.name = name
        self.number = int(number)
        self.constant = constant

    def field(self, name, default):
        match = re.search(FIELD.format(name), self.constant)
        return match.group(1).strip() if match else default

    def formats(self):
        return list(range(int(self.field("min_format", "1")), int(self.field("max_format", "1")) + 1))


class Lists:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.problems = []
        entries = ENTRY.findall(self.read("src/codecs/list.hpp"))
        self.codecs = [Codec(name, number, self.constant_of(name)) for name, number in entries]

    def read(self, name):
        path = self.root / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
        self.problems.append(f"{name}: is missing")
        return ""

    def constant_of(self, name):
        text = self.read(f"src/codecs/{name}/codec.cpp")
        return text[text.find("kCodec{"):]

    def compare(self, where, expected, found):
        """Two lists of rows: the same, in the same order."""
        for item in expected:
            if item not in found:
                self.problems.append(f"{where}: {item} is missing")
        for item in found:
            if item not in expected:
                self.problems.append(f"{where}: {item} is not in src/codecs/list.hpp")
        if sorted(map(str, expected)) == sorted(map(str, found)) and expected != found:
            self.problems.append(f"{where}: the order differs from src/codecs/list.hpp")

    def check_folders(self):
        numbers = [codec.number for codec in self.codecs]
        if numbers != sorted(set(numbers)):
            self.problems.append("src/codecs/list.hpp: ids do not ascend")
        folders = sorted(path.parent.name for path in self.root.glob("src/codecs/*/codec.cpp"))
        self.compare("folders of src/codecs", sorted(codec.name for codec in self.codecs), folders)
        for codec in self.codecs:
            for field, value in (("id", f"CodecId::{codec.name}"), ("name", f'"{codec.name}"')):
                if codec.field(field, None) != value:
                    self.problems.append(f"src/codecs/{codec.name}/codec.cpp: .{field} is not {value}")
            if not list(self.root.glob(f"tests/codecs/{codec.name}/*.cpp")):
                self.problems.append(f"tests/codecs/{codec.name}: there are no tests")
            self.read(f"src/codecs/{codec.name}/spec.md")

    def check_documents(self):
        names = [codec.name for codec in self.codecs]
        found = re.findall(r"^\| \[`(\w+)`\]\(\.\./src/codecs/\w+/spec\.md\) \|", self.read("docs/codecs.md"), re.MULTILINE)
        self.compare("docs/codecs.md", sorted(names), sorted(found))
        text = self.read("docs/format.md")
        found = re.findall(r"^\| (\w+) \| \[src/codecs/(\w+)/spec\.md\]", text, re.MULTILINE)
        self.compare("docs/format.md, specifications", sorted((n, n) for n in names), sorted(found))
        appendix = text[text.find("### Codecs"):]
        found = re.findall(r"^\| (\d+) \| (\w+) \| ([\d, ]+) \|$", appendix, re.MULTILINE)
        rows = [(str(c.number), c.name, ", ".join(map(str, c.formats()))) for c in self.codecs]
        self.compare("docs/format.md, numbers", rows, found)
        option = re.search(r"^\| `--codec CODEC` \|(.*?\bor a cascade)", self.read("docs/cli.md"), re.MULTILINE)
        found = re.findall(r"`(\w+)`", option.group(1)) if option else []
        self.compare("docs/cli.md, --codec", sorted(set(names) - NOT_CHOSEN), sorted(set(found)))

    def check_reader(self):
        text = self.read("tools/read_bob.py")
        table = re.search(r"^CODECS = \{(.*?)\}", text, re.MULTILINE | re.DOTALL)
        found = re.findall(r'(\d+): "(\w+)"', table.group(1)) if table else []
        self.compare("tools/read_bob.py, CODECS", [(str(c.number), c.name) for c in self.codecs], found)
        table = re.search(r"^    decoders = \{(.*?)\}", text, re.MULTILINE | re.DOTALL)
        found = re.findall(r'"(\w+)": decode_\w+', table.group(1)) if table else []
        self.compare("tools/read_bob.py, decoders", sorted(c.name for c in self.codecs), sorted(found))

    def check(self):
        self.check_folders()
        self.check_documents()
        self.check_reader()
        return self.problems


# Each plants one fault: a file, what to replace there, by what, and what the report must say.
PLANTED = [
    ("src/codecs/list.hpp", "CODEC(ffor, 2)", "CODEC(ffor, 1)", "ids do not ascend"),
    ("src/codecs/list.hpp", "CODEC(ffor, 2)", "", "ffor is not in src/codecs/list.hpp"),
    ("src/codecs/rle/codec.cpp", "CodecId::rle", "CodecId::sparse", ".id is not CodecId::rle"),
    ("src/codecs/rle/codec.cpp", ".max_format = 2", ".max_format = 3", "('11', 'rle', '1, 2, 3') is missing"),
    ("docs/codecs.md", "[`rle`]", "[`rel`]", "docs/codecs.md: rle is missing"),
    ("docs/format.md", "| 4 | fsst |", "| 5 | fsst |", "docs/format.md, numbers"),
    ("docs/format.md", "[src/codecs/dict/spec.md]", "[src/codecs/dictionary/spec.md]", "docs/format.md, specifications"),
    ("docs/cli.md", "`zigzag`", "`zag`", "docs/cli.md, --codec: zigzag is missing"),
    ("tools/read_bob.py", '9: "constant"', '9: "const"', "tools/read_bob.py, CODECS"),
    ("tools/read_bob.py", '"rle": decode_rle, ', "", "decoders: rle is missing"),
]


def self_test(root):
    """On a copy of what is read, with one fault after another."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in ("src/codecs", "tests/codecs", "docs", "tools"):
            shutil.copytree(pathlib.Path(root) / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name, old, new, expected in [("docs/cli.md", "", "", "")] + PLANTED:
            path = copy / name
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
            problems = Lists(copy).check()
            path.write_text(text, encoding="utf-8")
            found = any(expected in problem for problem in problems) if expected else not problems
            if not found or (old and old not in text):
                failures += 1
                print(f"self-test: {name}: {old!r} to {new!r}: got {problems}", file=sys.stderr)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="check the checker on planted faults")
    args = parser.parse_args()
    if args.self_test:
        return 1 if self_test(args.root) else 0
    problems = Lists(args.root).check()
    print("\n".join(problems), end="\n" if problems else "")
    print(f"codecs: {len(problems)} problems" if problems else "codecs: all lists agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
