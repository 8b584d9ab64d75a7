# SPDX-License-Identifier: Apache-2.0
"""Makes and parses pages of `bobbin sim report`."""
import pathlib
import subprocess

from page import Page

TAGS = frozenset("details summary line rect text".split())
ATTRIBUTES = frozenset("width height x y x1 x2 y1 y2 text-anchor".split())


def make_results(bin_dir, folder):
    path = pathlib.Path(folder, "results.json")
    subprocess.run([bin_dir / "bobbin-report-sim-results", path], check=True, timeout=60)
    return path


def make_sim_page(bin_dir, results):
    path = results.with_suffix(".html")
    subprocess.run([bin_dir / "bobbin", "sim", "report", results, "-o", path, "-f"], check=True, timeout=60)
    return path.read_text(encoding="utf-8")


def parse(text):
    return Page(text, TAGS, ATTRIBUTES).root
