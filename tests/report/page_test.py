#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the contents of pages of `bobbin report`: nothing that loads or runs, all names as text, areas proportional to
bytes, and a bounded size.

usage: page_test.py --bin DIR
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from page import (MIXED_NAMES, Page, bytes_of, codec_colors, column_rows, facts, headings, make_page, make_table,
                  place)

MAX_PAGE_BYTES = 2 << 20
GROUPS = 15  # of the table "mixed"
STATE = {}


def page_of(kind, *options):
    """A page's text and its elements; made once."""
    key = (kind, *options)
    if key not in STATE:
        if kind not in STATE:
            STATE[kind] = make_table(STATE["bin"], kind, STATE["folder"])
        text = make_page(STATE["bin"], STATE[kind], *options)
        STATE[key] = (text, Page(text).root)
    return STATE[key]


def row_names(root):
    """From the table of columns, then from the chart of encodings."""
    return [element.attributes["title"]
            for element in root.find(lambda e: e.tag == "th" and e.attributes.get("scope") == "row")]


class PageTest(unittest.TestCase):
    def test_parser_sees_what_does_not_belong(self):
        for text in ("<script>1</script>", "<p onclick=x>", "<img src=x>", "<p><b></p>", "<p>", "<!-- x -->"):
            with self.assertRaises(ValueError, msg=text):
                Page(text)

    def test_names_are_text(self):
        _, root = page_of("mixed")
        self.assertEqual(row_names(root), MIXED_NAMES * 2)
        labels = [column.children[0].text for column in root.of_class("col")]
        for label, name in zip(labels, MIXED_NAMES):
            self.assertTrue(label.startswith(name[:70]), label)

    def test_nothing_is_loaded(self):
        text, root = page_of("mixed")
        policies = [e.attributes["content"] for e in root.find(lambda e: "http-equiv" in e.attributes)]
        self.assertEqual(policies, ["default-src 'none'; style-src 'unsafe-inline'"])
        styles = next(root.find(lambda e: e.tag == "style")).text + " ".join(re.findall(r'style="[^"]*"', text))
        for word in ("url(", "@import", "expression", "http:", "https:"):
            self.assertNotIn(word, styles)

    def test_areas_are_bytes(self):
        _, root = page_of("mixed")
        columns = root.of_class("col")
        self.assertEqual(len(columns), len(MIXED_NAMES) + 1)
        self.check_areas(columns)
        for column in columns[:-1]:
            self.check_areas(column.of_class("fill"))
            inner = sum(bytes_of(part.attributes["title"]) for part in column.of_class("fill"))
            self.assertEqual(inner, self.column_bytes(column))

    @staticmethod
    def column_bytes(column):
        return bytes_of(column.attributes["title"].rsplit(": ", 1)[1])

    def check_areas(self, cells):
        """Cells fill their frame, each with its share, and do not overlap."""
        sizes = [self.column_bytes(c) if "col" in c.classes else bytes_of(c.attributes["title"]) for c in cells]
        places = [place(cell) for cell in cells]
        for size, (left, top, width, height) in zip(sizes, places):
            self.assertAlmostEqual(width * height / 10_000, size / sum(sizes), delta=1e-3)
            self.assertTrue(min(left, top) >= -0.01 and max(left + width, top + height) < 100.01)
        for i, (x, y, width, height) in enumerate(places):
            for left, top, other_width, other_height in places[:i]:
                across = min(x + width, left + other_width) - max(x, left)
                down = min(y + height, top + other_height) - max(y, top)
                self.assertTrue(across < 0.01 or down < 0.01)

    def test_areas_have_the_footer(self):
        """The cells of the map are all bytes of the file."""
        for kind in ("mixed", "tiny", "wide"):
            _, root = page_of(kind)
            footer = root.of_class("col")[-1]
            self.assertIn("rest", footer.classes)
            self.assertTrue(footer.text.startswith("footer "), footer.text)
            sizes = [self.column_bytes(column) for column in root.of_class("col")]
            self.assertEqual(sum(sizes), STATE[kind].stat().st_size)
            self.assertGreater(sizes[-1], 16 + 32)  # the header and the trailer alone

    def test_small_shares_are_not_zero(self):
        _, root = page_of("mixed")
        legend = next(root.find(lambda e: e.attributes.get("aria-label") == "Codecs"))
        self.assertIn("<0.1 %", legend.text)
        self.assertNotIn("0.0 %", legend.text)

    def test_source(self):
        _, root = page_of("mixed")
        self.assertEqual(facts(root)["Source"].children[0].attributes["title"], "7654321 bytes")
        _, root = page_of("tiny")
        self.assertNotIn("Source", facts(root))

    def test_source_of_a_csv_file(self):
        text = "name,price\nAnna,2.50\nBob,3.25\n"
        source = pathlib.Path(STATE["folder"], "prices.csv")
        source.write_text(text, encoding="utf-8")
        subprocess.run([STATE["bin"] / "bobbin", "compress", source, "-q", "-f"], check=True, timeout=60)
        root = Page(make_page(STATE["bin"], pathlib.Path(f"{source}.bob"))).root
        self.assertEqual(facts(root)["Source"].children[0].attributes["title"], f"{len(text)} bytes")

    def test_table_has_ratios(self):
        _, root = page_of("mixed")
        rows = column_rows(root)
        self.assertEqual(len(rows), len(MIXED_NAMES))
        for row in rows:
            raw = bytes_of(row["Raw"].children[0].attributes["title"])
            for head in ("Ratio", "zstd -3", "lz4"):
                if row[head].text != "not measured":
                    stored = bytes_of(row[head].attributes["title"])
                    self.assertAlmostEqual(float(row[head].text), raw / stored, delta=0.0051)

    def test_nulls_come_early(self):
        """Before anything that may scroll out of sight."""
        _, root = page_of("mixed")
        rows = column_rows(root)
        self.assertEqual(list(rows[0])[:3], ["Name", "Type", "Nulls"])
        nulls = [int(row["Nulls"].text.replace("\u202f", "")) for row in rows]
        self.assertEqual([i for i, number in enumerate(nulls) if number > 0], [3])
        self.assertRegex(rows[3]["Nulls"].attributes["title"], r"^\d+\.\d % of rows$")

    def test_strings_have_no_offsets(self):
        """Neither in the raw size nor in the input of the other compressors."""
        _, root = page_of("mixed")
        url = column_rows(root)[MIXED_NAMES.index("url")]
        raw = bytes_of(url["Raw"].children[0].attributes["title"])
        self.assertGreater(raw, 60_000 * len("https://example.org/item/1234"))
        self.assertLess(raw, 60_000 * len("https://example.org/item/12345"))
        text = column_rows(page_of("lengths")[1])[0]
        if text["zstd -3"].text != "not measured":
            self.assertLess(bytes_of(text["zstd -3"].attributes["title"]), 200)

    def test_peers_are_left_out(self):
        _, root = page_of("mixed", "--no-peers")
        self.assertEqual(root.of_class("none") + root.of_class("best"), [])
        self.assertNotIn("lz4", root.text)
        self.assertIn("Ratio", column_rows(root)[0])

    def test_empty_sections_are_left_out(self):
        self.assertEqual(headings(page_of("mixed")[1]), ["map", "columns", "encodings", "ranges"])
        self.assertEqual(headings(page_of("tiny")[1]), ["map", "columns"])  # of one row group
        self.assertEqual(headings(page_of("constants")[1]), ["map", "columns", "encodings"])
        _, empty = page_of("empty")
        self.assertEqual(headings(empty), ["columns"])
        self.assertEqual([row["Name"].text for row in column_rows(empty)], ["number", "word"])

    def test_a_table_that_scrolls_has_a_hint(self):
        _, root = page_of("mixed")
        self.assertEqual(len(root.of_class("hint")), len(root.of_class("box")))

    def test_codecs_have_the_same_colours_everywhere(self):
        pages = [codec_colors(page_of(kind)[1]) for kind in ("mixed", "wide", "tiny", "constants")]
        everywhere = {}
        for colors in pages:
            for codec, color in colors.items():
                self.assertEqual(everywhere.setdefault(codec, color), color, codec)
        self.assertEqual(len(set(everywhere.values())), len(everywhere))
        self.assertGreater(len(everywhere), 5)
        _, root = page_of("mixed")
        for part in root.of_class("fill"):
            if part.tag == "div":
                self.assertEqual(part.classes, ["fill", f"c-{part.text}"])

    def test_cascades_have_their_codecs_colours(self):
        text, root = page_of("mixed")
        legend = next(root.find(lambda e: e.attributes.get("aria-label") == "Encodings"))
        for entry in legend.children:
            style = entry.children[0].classes[-1]
            rule = re.search(rf"^\.{style} {{ background: (.*); }}$", text, re.MULTILINE).group(1)
            self.assertEqual(re.findall(r"--codec-(\w+)", rule), re.findall(r"\w+", entry.text)[:4])

    def test_a_cell_per_row_group(self):
        _, root = page_of("mixed")
        strips = root.of_class("strip")
        self.assertEqual([len(strip.children) for strip in strips], [GROUPS] * len(MIXED_NAMES))
        for strip in strips:
            for i, cell in enumerate(strip.children):
                self.assertRegex(cell.attributes["title"], rf"^row group {i}, rows \d+:\d+\n\d+ bytes?, ratio [0-9.]+\n\w+")

    def test_bands_of_numbers(self):
        _, root = page_of("mixed")
        paths = [path.attributes["d"] for path in root.find(lambda e: e.tag == "path")]
        self.assertEqual(len(paths), len(MIXED_NAMES) - 3)  # all but the strings and the constant
        self.assertEqual([path.count("M") for path in paths], [GROUPS] * 3 + [10] + [GROUPS] * 2)  # 5 have nulls only
        for path in paths:
            for top, height in re.findall(r"M\d+ ([-0-9.]+)h1v([-0-9.]+)h-1z", path):
                self.assertTrue(0 <= float(top) and float(height) > 0 and float(top) + float(height) <= 100.11)

    def test_many_columns_are_cut(self):
        text, root = page_of("wide")
        self.assertLess(len(text), MAX_PAGE_BYTES)
        self.assertEqual(len(root.of_class("col")), 252)  # with the others and the footer
        self.assertEqual(len(row_names(root)), 250)
        self.assertIn("The other 9\u202f750 take", root.text)

    def test_many_row_groups_go_together(self):
        text, root = page_of("long")
        self.assertLess(len(text), MAX_PAGE_BYTES)
        for strip in root.of_class("strip"):
            self.assertLessEqual(len(strip.children), 128)
            self.assertRegex(strip.children[0].attributes["title"], r"^row groups 0 to 78, rows 0:5056\n")
            self.assertRegex(strip.children[-1].attributes["title"], r"^row groups \d+ to 9999, rows \d+:640000\n")
        self.assertIn("Up to 79 row groups are shown as one", root.text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the built programs")
    STATE["bin"] = parser.parse_args().bin.resolve()
    with tempfile.TemporaryDirectory(prefix="bobbin-report-") as folder:
        STATE["folder"] = folder
        result = unittest.main(argv=sys.argv[:1], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
