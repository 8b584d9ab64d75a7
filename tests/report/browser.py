# SPDX-License-Identifier: Apache-2.0
"""Pages in a headless Chromium, for tests of how they are shown.

Without Chromium these tests are skipped (status 77). BOBBIN_CHROMIUM names one that is not on the PATH.
"""
import argparse
import html
import json
import os
import pathlib
import re
import shutil
import subprocess

SKIPPED = 77
TIMEOUT_SECONDS = 120
TRIES = 5  # on a busy machine the browser may end before it has drawn a frame, which the probe waits for
LEAST_CONTRAST = 4.5  # WCAG 2, level AA
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


def check_shown(seen, console, size, scheme):
    """What holds for every page that Browser.measure() shows."""
    problems = []
    if len(console) != 1 or "the probe has run" not in console[0]:
        problems.append(f"on the console: {console}")
    if seen["width"] != size[0] or seen["scheme"] != scheme:
        problems.append(f"shown {seen['width']} wide in {seen['scheme']}")
    if seen["scrollWidth"] > seen["width"] or seen["outside"]:
        problems.append(f"{seen['scrollWidth']} wide: {seen['outside'][:3]}")
    if seen["contrast"] < LEAST_CONTRAST:
        problems.append(f"contrast {seen['contrast']:.2f} of {seen['contrastOf']}")
    return problems


def check_untouched(browser, text):
    """The unchanged page, including its policy, prints nothing on the console and runs no script from names in it."""
    path = browser.folder / "page.html"
    path.write_text(text, encoding="utf-8")
    dom, console = browser.dump(path, "light")
    return ([f"on the console: {console}"] if console else []) + ([] if "</footer>" in dom else ["not shown"])


def run_checks(checks):
    """Prints the problems that each check returns, by name; returns the exit status."""
    failed = 0
    for name, check in checks.items():
        problems = check()
        print(f"{'FAILED' if problems else 'ok'}: {name}", *problems, sep="\n  ")
        failed += bool(problems)
    return 1 if failed else 0


def main(run):
    """Calls run(the browser's path, the folder of the built programs)."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the built programs")
    args = parser.parse_args()
    program = find_chromium()
    if program is None:
        print("no Chromium here: skipped")
        return SKIPPED
    return run(program, args.bin.resolve())
