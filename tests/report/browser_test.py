#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows pages of `bobbin report` in a headless Chromium, in the widths of a phone and a desktop, with a light and a
dark theme: nothing on the console, nothing wider than the page, a cell per column, text with enough contrast, nulls
visible, a hint for each table that scrolls and for no other, and fills of different colours.

Skipped (status 77) without Chromium. BOBBIN_CHROMIUM names one that is not on the PATH.

usage: browser_test.py --bin DIR
"""
import argparse
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from page import MIXED_NAMES, make_page, make_table

SKIPPED = 77
TIMEOUT_SECONDS = 120
TRIES = 5  # on a busy machine the browser may end before it has drawn a frame, which the probe waits for
SIZES = {"phone": (390, 844), "desk": (1280, 900)}
LEAST_CONTRAST = 4.5  # WCAG 2, level AA
COLORS = {}  # by scheme, then by codec
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body><pre id="seen"></pre><script>
addEventListener("message", (event) => { document.getElementById("seen").textContent = JSON.stringify(event.data); });
</script><iframe src="%s" style="border:0;width:%dpx;height:%dpx"></iframe></body>
"""


def find_chromium():
    """A browser that starts: Ubuntu's chromium may be a stub."""
    for name in [os.environ.get("BOBBIN_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"]:
        path = name and shutil.which(name)
        if path and subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0:
            return path
    return None


class Browser:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def dump(self, path, scheme):
        """A page's DOM once it is shown, and the console output. Host names do not resolve there."""
        command = [self.program, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                   f"--user-data-dir={self.folder}/profile", "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--enable-logging=stderr", "--virtual-time-budget=2000",
                   "--run-all-compositor-stages-before-draw", "--window-size=1400,1000",
                   f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}", path.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
        console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
        return done.stdout, console

    def measure(self, text, size, scheme, probe_name="probe.js"):
        """What the probe reports about a copy of a page, without the policy, which would prevent scripts."""
        copy = self.folder / "copy.html"
        frame = self.folder / "frame.html"
        probe = "".join(pathlib.Path(__file__).with_name(name).read_text(encoding="utf-8")
                        for name in ("contrast.js", probe_name))
        without, policies = POLICY.subn("", text)
        assert policies == 1
        copy.write_text(without.replace("</body>", f"<script>{probe}</script></body>"), encoding="utf-8")
        frame.write_text(FRAME % (copy.name, *size), encoding="utf-8")
        for _ in range(TRIES):
            dom, console = self.dump(frame, scheme)
            seen = html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL).group(1))
            if seen:
                return json.loads(seen), console
        raise RuntimeError(f"the probe has not run in {TRIES} tries")


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
    problems = []
    if len(console) != 1 or "the probe has run" not in console[0]:
        problems.append(f"on the console: {console}")
    if seen["width"] != size[0] or seen["scheme"] != scheme:
        problems.append(f"shown {seen['width']} wide in {seen['scheme']}")
    if seen["scrollWidth"] > seen["width"] or seen["outside"]:
        problems.append(f"{seen['scrollWidth']} wide: {seen['outside'][:3]}")
    if seen["columns"] != columns or seen["labels"] == 0:
        problems.append(f"{seen['columns']} columns in the map, {seen['labels']} with names")
    if seen["contrast"] < LEAST_CONTRAST:
        problems.append(f"contrast {seen['contrast']:.2f} of {seen['contrastOf']}")
    if size == SIZES["desk"] and not seen["nullsInSight"]:
        problems.append("nulls are out of sight")
    if any(box["hint"] != box["scrolls"] for box in seen["boxes"]):
        problems.append(f"hints: {seen['boxes']}")
    if size == SIZES["phone"] and not any(box["scrolls"] for box in seen["boxes"]):
        problems.append("no table scrolls on a phone: hints are not tested")
    return problems + check_colors(seen["fills"], scheme)


def check_untouched(browser, text):
    """The unchanged page, including its policy, prints nothing on the console and runs no script from names in it."""
    path = browser.folder / "page.html"
    path.write_text(text, encoding="utf-8")
    dom, console = browser.dump(path, "light")
    return ([f"on the console: {console}"] if console else []) + ([] if "</footer>" in dom else ["not shown"])


def run(program, bin_dir):
    failed = 0
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
