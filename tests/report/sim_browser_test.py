#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows a page of `bobbin sim report` in a headless Chromium, on a phone and a desktop, with a light and a dark theme:
nothing on the console, nothing wider than the page, all bars visible, text with enough contrast.

Skipped (status 77) without Chromium. BOBBIN_CHROMIUM names one that is not on the PATH.

usage: sim_browser_test.py --bin DIR
"""
import argparse
import pathlib
import sys
import tempfile

from browser_test import LEAST_CONTRAST, SKIPPED, Browser, check_untouched, find_chromium
from sim_page import make_results, make_sim_page

SIZES = {"phone": (375, 800), "desk": (1280, 900)}


def check_page(browser, text, size, scheme):
    seen, console = browser.measure(text, size, scheme, "sim_probe.js")
    problems = []
    if len(console) != 1 or "the probe has run" not in console[0]:
        problems.append(f"on the console: {console}")
    if seen["width"] != size[0] or seen["scheme"] != scheme:
        problems.append(f"shown {seen['width']} wide in {seen['scheme']}")
    if seen["scrollWidth"] > seen["width"] or seen["outside"]:
        problems.append(f"{seen['scrollWidth']} wide: {seen['outside'][:3]}")
    if seen["bars"] != text.count("<rect ") or seen["bars"] == 0:
        problems.append(f"{seen['bars']} bars visible of {text.count('<rect ')}")
    if seen["labelsOutside"]:
        problems.append(f"labels cut off: {seen['labelsOutside'][:3]}")
    if len(set(seen["kinds"])) != 4:
        problems.append(f"colours of the timeline: {seen['kinds']}")
    if seen["contrast"] < LEAST_CONTRAST:
        problems.append(f"contrast {seen['contrast']:.2f} of {seen['contrastOf']}")
    return problems


def run(program, bin_dir):
    failed = 0
    with tempfile.TemporaryDirectory(prefix="bobbin-sim-browser-", ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        text = make_sim_page(bin_dir, make_results(bin_dir, folder))
        checks = {"as it is": lambda: check_untouched(browser, text)}
        for name, size in SIZES.items():
            for scheme in ("light", "dark"):
                checks[f"{name}, {scheme}"] = lambda size=size, scheme=scheme: check_page(browser, text, size, scheme)
        for name, check in checks.items():
            problems = check()
            print(f"{'FAILED' if problems else 'ok'}: {name}", *problems, sep="\n  ")
            failed += bool(problems)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the built programs")
    args = parser.parse_args()
    program = find_chromium()
    if program is None:
        print("no Chromium here: skipped")
        return SKIPPED
    return run(program, args.bin.resolve())


if __name__ == "__main__":
    sys.exit(main())
