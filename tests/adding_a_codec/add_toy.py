#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds the codec of tests/adding_a_codec/toy to a copy of the tree, by the steps of docs/adding-a-codec.md.

usage: add_toy.py --overlay DIR   only what the compiler needs: the codec's folder and the list of codecs
       add_toy.py --check         all of it, in a temporary copy, on which the tools' checks have to pass
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = "toy"


def after_last(pattern, text, line):
    """Adds a line after the last one that matches."""
    last = list(re.finditer(pattern, text, re.MULTILINE))[-1]
    return text[:last.end()] + "\n" + line + text[last.end():]


def next_id(listed):
    return max(int(number) for number in re.findall(r"CODEC\(\w+, (\d+)\)", listed)) + 1


def add_folder(root):
    folder = root / "src/codecs" / NAME
    folder.mkdir(parents=True, exist_ok=True)
    for path in (HERE / NAME).iterdir():
        if path.name != "component.cpp":
            shutil.copyfile(path, folder / path.name)
    tests = root / "tests/codecs" / NAME
    tests.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / NAME / "component.cpp", tests / "component.cpp")


def add_to_list(root):
    """The one line of the registry."""
    listed = (ROOT / "src/codecs/list.hpp").read_text(encoding="utf-8")
    listed = listed.rstrip("\n") + f" \\\n  CODEC({NAME}, {next_id(listed)})\n"
    (root / "src/codecs").mkdir(parents=True, exist_ok=True)
    (root / "src/codecs/list.hpp").write_text(listed, encoding="utf-8")


def add_to_lists(root):
    """What tools/check_codecs.py asks for: documents and the Python reader."""
    number = next_id((ROOT / "src/codecs/list.hpp").read_text(encoding="utf-8"))
    spec = f"../src/codecs/{NAME}/spec.md"

    def edit(name, change):
        path = root / name
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    edit("docs/codecs.md", lambda text: after_last(r"^\| \[`\w+`\]\(\.\./src/codecs/.*$", text,
                                                   f"| [`{NAME}`]({spec}) | integers with every bit flipped |"))
    edit("docs/format.md", lambda text: after_last(r"^\| \w+ \| \[src/codecs/.*$", text,
                                                   f"| {NAME} | [src/codecs/{NAME}/spec.md]({spec}) |"))
    edit("docs/format.md", lambda text: after_last(r"^\| \d+ \| \w+ \| [\d, ]+ \|$", text, f"| {number} | {NAME} | 2 |"))
    edit("docs/cli.md", lambda text: re.sub(r"(\| `--codec CODEC` \|.*?)`", rf"\1`{NAME}`, `", text, count=1))
    edit("tools/read_bob.py", lambda text: re.sub(r'(\d+: "\w+")\}', rf'\1, {number}: "{NAME}"}}', text, count=1))
    edit("tools/read_bob.py", lambda text: text.replace("decoders = {", f'decoders = {{"{NAME}": decode_{NAME}, ', 1))


def passes(root, script):
    result = subprocess.run([sys.executable, str(root / "tools" / script), "--root", str(root)], capture_output=True, text=True)
    return result.returncode == 0, result.stdout + result.stderr


def require(condition, message):
    if not condition:
        sys.exit(f"adding a codec: {message}")


def check_guide():
    """The guide names every file of the folder, and the folder has every file that the guide requires."""
    guide = (ROOT / "docs/adding-a-codec.md").read_text(encoding="utf-8").replace("<name>", NAME)
    for path in (HERE / NAME).iterdir():
        require(f"`{path.name}`" in guide or f"/{path.name}`" in guide, f"docs/adding-a-codec.md does not name {path.name}")
    for word in ("src/codecs/list.hpp", "tools/check_codecs.py", "BOBBIN_DEFINE_DEVICE_OPS"):
        require(word in guide, f"docs/adding-a-codec.md does not name {word}")


def check():
    check_guide()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("include", "src", "docs", "tools", "tests/codecs"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (ROOT / "tests").glob("*.hpp"):
            shutil.copyfile(path, root / "tests" / path.name)
        add_folder(root)
        ok, output = passes(root, "check_codecs.py")
        require(not ok and f"{NAME} is not in src/codecs/list.hpp" in output, f"a folder that is not listed passes: {output}")
        add_to_list(root)
        ok, output = passes(root, "check_codecs.py")
        places = ("docs/codecs.md", "docs/format.md, numbers", "docs/format.md, specifications", "docs/cli.md",
                  "read_bob.py, CODECS", "read_bob.py, decoders")
        missing = [place for place in places if place not in output]
        require(not ok and not missing, f"nothing says that {missing} lack the codec: {output}")
        add_to_lists(root)
        for script in ("check_codecs.py", "check_layers.py"):
            ok, output = passes(root, script)
            require(ok, f"{script}: {output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--overlay", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.overlay:
        add_folder(args.overlay)
        add_to_list(args.overlay)
    if args.check:
        check()


if __name__ == "__main__":
    main()
