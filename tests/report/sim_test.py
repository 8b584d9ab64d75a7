#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the contents of pages of `bobbin sim report`, made from made-up results: every figure, the paper's numbers
beside ours, nothing that loads or runs, and all names as text.

usage: sim_test.py --bin DIR
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile
import unittest

from page import headings
from sim_page import make_results, make_sim_page, parse

MAX_PAGE_BYTES = 2 << 20
FIGURES = ["fig2", "fig3", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "fig16", "md"]
STATE = {}


def page():
    """A page's text and its elements; made once."""
    if "page" not in STATE:
        text = make_sim_page(STATE["bin"], make_results(STATE["bin"], STATE["folder"]))
        STATE["page"] = (text, parse(text))
    return STATE["page"]


def section(root, name):
    return next(s for s in root.find(lambda e: e.tag == "section") if headings(s) == [name])


def rows(element):
    """Cells of the first table, a list per row."""
    table = next(element.find(lambda e: e.tag == "table"))
    return [[cell.text for cell in row.children] for row in table.find(lambda e: e.tag == "tr")]


def bars(element):
    """Numbers in the titles of bars: row and series to value."""
    found = {}
    for bar in element.find(lambda e: e.tag == "rect"):
        label, value = bar.children[0].text.rsplit(": ", 1)
        found[tuple(label.rsplit(", ", 1))] = float(value)
    return found


class SimPageTest(unittest.TestCase):
    def test_every_figure_is_there(self):
        _, root = page()
        found = headings(root)
        has_proxies = any(run["result"]["workload"] == "PVC" for run in self.results()["runs"])
        for name in FIGURES if has_proxies else ["fig2", "fig3"]:
            self.assertIn(name, found)
            self.assertGreater(len(bars(section(root, name))), 0, name)
        for name in ("summary", "orderings", "timeline", "workloads", "constants", "failures"):
            self.assertIn(name, found)

    @staticmethod
    def results():
        return json.loads(pathlib.Path(STATE["folder"], "results.json").read_text(encoding="utf-8"))

    def test_the_papers_number_is_beside_ours(self):
        _, root = page()
        table = {row[0]: row for row in rows(section(root, "summary"))[1:]}
        self.assertEqual(table["CABA-BDI over Base"][1], "1.417")
        self.assertEqual(table["DRAM utilisation of Base, %"][1], "53.6")
        self.assertEqual(table["metadata cache hits, %"][1], "85.0")

    def test_bars_are_the_runs(self):
        _, root = page()
        runs = {(r["result"]["workload"], r["result"]["design"]): r["result"] for r in self.results()["runs"]
                if not r["settings"]}
        figure = bars(section(root, "fig2"))
        for (workload, design), run in runs.items():
            if design == "base":
                classes = [run["counters"][name] for name in ("active_cycles", "compute_stalls", "memory_stalls",
                                                              "dependence_stalls", "idle_cycles")]
                shown = figure[(f"{workload} 1x", "Active")]
                self.assertAlmostEqual(shown, 100 * classes[0] / sum(classes), delta=0.051)

    def test_bars_fit(self):
        _, root = page()
        for bar in root.find(lambda e: e.tag == "rect"):
            left, width = (float(bar.attributes[name].rstrip("%")) for name in ("x", "width"))
            self.assertTrue(0 <= left and width >= 0 and left + width <= 97.1, bar.attributes)

    def test_nothing_is_loaded(self):
        text, root = page()
        self.assertLess(len(text), MAX_PAGE_BYTES)
        policies = [e.attributes["content"] for e in root.find(lambda e: "http-equiv" in e.attributes)]
        self.assertEqual(policies, ["default-src 'none'; style-src 'unsafe-inline'"])
        self.assertIsNone(re.search(r"url\(|@import|https?:", text))

    def test_names_are_text(self):
        """The parser refuses elements and attributes that come from names."""
        _, root = page()
        self.assertIn("<img src=x>, base, \" onclick=\"x", section(root, "failures").text)
        self.assertIn("<script>alert('build')</script>", root.text)
        self.assertIn("<b>PVC</b>", section(root, "timeline").text)

    def test_the_timeline_has_all_instructions(self):
        _, root = page()
        paths = [e for e in section(root, "timeline").find(lambda e: e.tag == "path") if e.classes[0].startswith("k-")]
        self.assertEqual([e.classes[0] for e in paths], ["k-compute", "k-memory", "k-high", "k-low"])
        self.assertEqual([e.attributes["d"].count("M") for e in paths], [160, 80, 30, 30])

    def test_every_constant_has_a_source(self):
        _, root = page()
        for row in rows(section(root, "constants"))[1:]:
            self.assertEqual(len(row), 3)
            self.assertTrue(row[2], row)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the built programs")
    STATE["bin"] = parser.parse_args().bin.resolve()
    with tempfile.TemporaryDirectory(prefix="bobbin-sim-report-") as folder:
        STATE["folder"] = folder
        result = unittest.main(argv=sys.argv[:1], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
