#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels.cu and compares the kernel written against Cta with the one written by hand.

usage: check.py NVCC ROOT     It must not use more registers; instructions may differ by an address computation.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = ("by_cta", "by_hand")
ALLOWED = {"registers": 0, "PTX instructions": 2, "machine instructions": 1}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return done.stdout + done.stderr


def registers(log):
    found = re.findall(r"Compiling entry function '(\w+)'.*?Used (\d+) registers", log, re.S)
    return {name: int(count) for name, count in found}


def ptx_instructions(text):
    counts = {}
    for name, body in re.findall(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", text, re.S):
        lines = [line.strip() for line in body.splitlines()]
        counts[name] = sum(bool(re.match(r"(@%p\d+ )?[a-z]", line)) for line in lines if not line.startswith("."))
    return counts


def sass_instructions(text):
    counts = {}
    for part in text.split("Function : ")[1:]:
        counts[part.split()[0]] = len(re.findall(r"^\s+/\*[0-9a-f]{4}\*/\s+\S", part, re.M)) - len(
            re.findall(r"/\*[0-9a-f]{4}\*/\s+NOP", part))
    return counts


def main():
    nvcc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    source = str(root / "tests/zero_cost/kernels.cu")
    options = ["-std=c++20", "-arch=sm_90", "-O3", "--expt-relaxed-constexpr", f"-I{root}/include", f"-I{root}/src"]
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = f"{folder}/kernels.ptx", f"{folder}/kernels.cubin"
        run(nvcc, *options, "-ptx", source, "-o", ptx)
        measures = {"registers": registers(run(nvcc, *options, "-cubin", "-Xptxas=-v", source, "-o", cubin)),
                    "PTX instructions": ptx_instructions(pathlib.Path(ptx).read_text())}
        if shutil.which("cuobjdump"):
            measures["machine instructions"] = sass_instructions(run("cuobjdump", "--dump-sass", cubin))
    failed = False
    for what, counts in measures.items():
        cta, hand = (counts[name] for name in KERNELS)
        print(f"{what}: {cta} against Cta, {hand} by hand")
        failed |= cta > hand + ALLOWED[what]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
