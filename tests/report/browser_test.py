#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows pages of `bobbin report` in a headless Chromium, in the widths of a phone and a desktop, with a light and a
dark theme: nothing on the console, nothing wider than the page, a cell per column, text with enough contrast, nulls
visible, a hint for each table that scrolls and for no other, and fills of different colours.

usage: browser_test.py --bin DIR
"""
import sys
import tempfile

from browser import Browser, check_shown, check_untouched, main, run_checks
from page import MIXED_NAMES, make_page, make_table

SIZES = {"phone": (390, 844), "desk": (1280, 900)}
COLORS = {}  # by scheme, then by codec


def check_colors(fills, scheme):
    """The codecs of a page have different colours, the same ones as on previous pages."""
    colors = COLORS.setdefault(scheme, {})
    changed = [codec for codec, color in fills.items() if colors.setdefault(codec, color) != color]
    problems = [f"{changed} have other colours than on another page"] if changed else []
    if len(set(fills.values())) != len(fills):
        problems.append(f"codecs of one colour: {fills}")
    return problems


def check_page(browser, text, columns, size, scheme):
    seen, console = browser.measure(text, size, scheme)
    problems = check_shown(seen, console, size, scheme)
    if seen["columns"] != columns or seen["labels"] == 0:
        problems.append(f"{seen['columns']} columns in the map, {seen['labels']} with names")
    if size == SIZES["desk"] and not seen["nullsInSight"]:
        problems.append("nulls are out of sight")
    if any(box["hint"] != box["scrolls"] for box in seen["boxes"]):
        problems.append(f"hints: {seen['boxes']}")
    if size == SIZES["phone"] and not any(box["scrolls"] for box in seen["boxes"]):
        problems.append("no table scrolls on a phone: hints are not tested")
    return problems + check_colors(seen["fills"], scheme)


def run(program, bin_dir):
    with tempfile.TemporaryDirectory(prefix="bobbin-browser-", ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        mixed = make_page(bin_dir, make_table(bin_dir, "mixed", folder))
        tiny = make_page(bin_dir, make_table(bin_dir, "tiny", folder))
        wide = make_page(bin_dir, make_table(bin_dir, "wide", folder))
        checks = {"as it is": lambda: check_untouched(browser, mixed)}
        for name, size in SIZES.items():
            for scheme in ("light", "dark"):
                checks[f"{name}, {scheme}"] = lambda size=size, scheme=scheme: check_page(
                    browser, mixed, len(MIXED_NAMES) + 1, size, scheme)
            checks[f"{name}, tiny"] = lambda size=size: check_page(browser, tiny, 3, size, "light")
        checks["phone, 10000 columns"] = lambda: check_page(browser, wide, 252, SIZES["phone"], "light")
        return run_checks(checks)


if __name__ == "__main__":
    sys.exit(main(run))
