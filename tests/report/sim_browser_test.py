#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows a page of `bobbin sim report` in a headless Chromium, on a phone and a desktop, with a light and a dark theme:
nothing on the console, nothing wider than the page, all bars visible, text with enough contrast.

usage: sim_browser_test.py --bin DIR
"""
import sys
import tempfile

from browser import Browser, check_shown, check_untouched, main, run_checks
from sim_page import make_results, make_sim_page

SIZES = {"phone": (375, 800), "desk": (1280, 900)}


def check_page(browser, text, size, scheme):
    seen, console = browser.measure(text, size, scheme, "sim_probe.js")
    problems = check_shown(seen, console, size, scheme)
    if seen["bars"] != text.count("<rect ") or seen["bars"] == 0:
        problems.append(f"{seen['bars']} bars visible of {text.count('<rect ')}")
    if seen["labelsOutside"]:
        problems.append(f"labels cut off: {seen['labelsOutside'][:3]}")
    if len(set(seen["kinds"])) != 4:
        problems.append(f"colours of the timeline: {seen['kinds']}")
    return problems


def run(program, bin_dir):
    with tempfile.TemporaryDirectory(prefix="bobbin-sim-browser-", ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        text = make_sim_page(bin_dir, make_results(bin_dir, folder))
        checks = {"as it is": lambda: check_untouched(browser, text)}
        for name, size in SIZES.items():
            for scheme in ("light", "dark"):
                checks[f"{name}, {scheme}"] = lambda size=size, scheme=scheme: check_page(browser, text, size, scheme)
        return run_checks(checks)


if __name__ == "__main__":
    sys.exit(main(run))
