#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the scan benchmark's curves: throughput over size, ours compared with CUB and cudaMemcpy, as SVG.

usage: plot_scan.py RESULTS.json OUTDIR | --self-test

RESULTS.json is what bobbin-bench-gpu-scan --curves --out writes. OUTDIR gets scan-u32.svg and scan-u64.svg, or
only the one whose type has rows. The same input gives the same bytes.
"""
import argparse
import collections
import json
import math
import pathlib
import sys
import tempfile
import xml.dom.minidom
import xml.sax.saxutils

Case = collections.namedtuple("Case", "title order tuple")
Series = collections.namedtuple("Series", "name key colour width dash marker")

TYPES = {"u32": "32-bit", "u64": "64-bit"}
GRID = [
    [Case(f"order {k}", k, 1) for k in (1, 2, 5, 8)],
    [Case(f"tuples of {s}", 1, s) for s in (2, 5, 8)],
]
# Drawn in this order, ours on top. Distinguishable without colour too: by marker, dash and darkness.
SERIES = [
    Series("cudaMemcpy", "memcpy_seconds", "#6b6b6b", 1.6, "6 3", None),
    Series("CUB", "cub_seconds", "#e07b00", 1.6, None, "square"),
    Series("Bobbin", "seconds", "#0b4a94", 2, None, "circle"),
]
MIN_LOG, MAX_LOG, LOG_STEP = 10, 30, 5

# In pixels. The last cell of the grid is for the legend.
WIDTH = 1000
LEFT, TOP = 74, 74
PANEL_WIDTH, PANEL_HEIGHT = 212, 184
GAP_X, GAP_Y = 18, 40
INSET = 7  # between a panel's frame and its smallest and largest size
PLOT_BOTTOM = TOP + len(GRID) * PANEL_HEIGHT + (len(GRID) - 1) * GAP_Y
HEIGHT = PLOT_BOTTOM + 84
FONTS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
INK, PALE_INK, FRAME, RULE = "#1a1a1a", "#555555", "#8a8a8a", "#e3e3e3"


class PlotError(Exception):
    """What is wrong with the input, in one line."""


def read_report(path):
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlotError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise PlotError(f"{path}: not JSON: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("rows"), list):
        raise PlotError(f"{path}: not a benchmark's report: no list 'rows'")
    return report


def is_positive(value):
    return isinstance(value, (int, float)) and 1e-12 < value < 1e18


def collect_curves(report):
    """{type: {(order, tuple): {series key: {log2 of values: billions of values per second}}}}.

    If a size was measured twice, the last measurement counts: the large figures come before the curves.
    """
    wanted = [(case.order, case.tuple) for line in GRID for case in line]
    curves = {}
    for number, row in enumerate(report["rows"]):
        if not isinstance(row, dict):
            raise PlotError(f"row {number}: not an object")
        shape = (row.get("order"), row.get("tuple"))
        if row.get("type") not in list(TYPES) or row.get("scheme") != "vector" or shape not in wanted:
            continue
        values = row.get("values")
        if not is_positive(values):
            raise PlotError(f"row {number}: no number of values")
        size = math.log2(values)
        if not MIN_LOG <= size <= MAX_LOG:
            continue
        by_key = curves.setdefault(row["type"], {}).setdefault(shape, {})
        for series in SERIES:
            sample = row.get(series.key)
            if not isinstance(sample, dict) or "median_s" not in sample:
                raise PlotError(f"row {number}: no {series.key}.median_s")
            if is_positive(sample["median_s"]):  # 0: not measured
                by_key.setdefault(series.key, {})[size] = values / sample["median_s"] / 1e9
    if not any(points for by_shape in curves.values() for by_key in by_shape.values() for points in by_key.values()):
        raise PlotError("no rows to draw: scans of u32 or u64, scheme vector, 2^10 to 2^30 values")
    return curves


def split_at_gaps(points):
    """Runs of consecutive sizes: a power of two that was not measured ends a run."""
    runs = []
    for size in sorted(points):
        if not runs or size - runs[-1][-1][0] > 1:
            runs.append([])
        runs[-1].append((size, points[size]))
    return runs


def nice_step(top, most=6):
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that divides 0 to top into at most `most` steps."""
    power = 10.0 ** math.floor(math.log10(top / most))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if math.ceil(top / (m * power) - 1e-9) <= most)


def fixed(value):
    """One decimal, none if it is 0."""
    text = f"{value:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


def plain(text):
    """Text from a report, escaped for XML."""
    words = "".join(c if c.isprintable() else " " for c in str(text)).split()
    return xml.sax.saxutils.escape(" ".join(words))


class Chart:
    def __init__(self, type_name, by_shape, report):
        self.type_name = type_name
        self.by_shape = by_shape
        self.report = report
        self.lines = []
        top = max(rate for by_key in by_shape.values() for points in by_key.values() for rate in points.values())
        self.step = nice_step(top * 1.02)
        self.top = self.step * math.ceil(top * 1.02 / self.step - 1e-9)

    def add(self, line):
        self.lines.append(line)

    def text(self, x, y, content, size=13, anchor="start", more=""):
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.add(f'<text x="{fixed(x)}" y="{fixed(y)}" font-size="{size}"{where}{more}>{content}</text>')

    def marker(self, series, x, y):
        if series.marker == "circle":
            self.add(f'<circle cx="{fixed(x)}" cy="{fixed(y)}" r="2.6"/>')
        elif series.marker == "square":
            self.add(f'<rect x="{fixed(x - 3)}" y="{fixed(y - 3)}" width="6" height="6"/>')

    def stroke_group(self, series):
        dash = f' stroke-dasharray="{series.dash}"' if series.dash else ""
        self.add(f'<g fill="none" stroke="{series.colour}" stroke-width="{series.width}" '
                 f'stroke-linejoin="round"{dash}>')

    def marker_group(self, series):
        if series.marker == "circle":
            self.add(f'<g fill="{series.colour}">')
        else:
            self.add(f'<g fill="#ffffff" stroke="{series.colour}" stroke-width="1.4">')

    def curve(self, series, runs, to_x, to_y):
        self.stroke_group(series)
        for run in runs:
            points = [(to_x(size), to_y(rate)) for size, rate in run]
            if len(points) == 1:  # alone between gaps: a stub, so that it shows without a marker too
                points = [(points[0][0] + d, points[0][1]) for d in (-3, 3)]
            self.add('<polyline points="' + " ".join(f"{fixed(x)},{fixed(y)}" for x, y in points) + '"/>')
        self.add("</g>")
        if series.marker:
            self.marker_group(series)
            for size, rate in (point for run in runs for point in run):
                self.marker(series, to_x(size), to_y(rate))
            self.add("</g>")

    def panel(self, case, column, line):
        left = LEFT + column * (PANEL_WIDTH + GAP_X)
        top = TOP + line * (PANEL_HEIGHT + GAP_Y)
        bottom = top + PANEL_HEIGHT

        def to_x(size):
            return left + INSET + (size - MIN_LOG) / (MAX_LOG - MIN_LOG) * (PANEL_WIDTH - 2 * INSET)

        def to_y(rate):
            return bottom - rate / self.top * PANEL_HEIGHT

        self.text(left + PANEL_WIDTH / 2, top - 8, case.title, 14, "middle", ' font-weight="600"')
        self.rules(left, top, to_x, to_y)
        self.add(f'<rect x="{left}" y="{top}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" fill="none" '
                 f'stroke="{FRAME}"/>')
        if column == 0:
            self.rate_labels(left, to_y)
        if line + 1 == len(GRID) or column >= len(GRID[line + 1]):
            self.size_labels(bottom, to_x)
        by_key = self.by_shape.get((case.order, case.tuple), {})
        if not by_key:
            self.text(left + PANEL_WIDTH / 2, top + PANEL_HEIGHT / 2, "not measured", 13, "middle",
                      f' fill="{PALE_INK}"')
        for series in SERIES:
            if series.key in by_key:
                self.curve(series, split_at_gaps(by_key[series.key]), to_x, to_y)

    def rates(self):
        return [i * self.step for i in range(round(self.top / self.step) + 1)]

    def rules(self, left, top, to_x, to_y):
        path = "".join(f"M{left},{fixed(to_y(rate))}h{PANEL_WIDTH}" for rate in self.rates()[1:-1])
        path += "".join(f"M{fixed(to_x(size))},{top}v{PANEL_HEIGHT}"
                        for size in range(MIN_LOG, MAX_LOG + 1, LOG_STEP))
        self.add(f'<path d="{path}" stroke="{RULE}"/>')
        ticks = "".join(f"M{fixed(to_x(size))},{top + PANEL_HEIGHT}v{-6 if size % LOG_STEP == 0 else -3}"
                        for size in range(MIN_LOG, MAX_LOG + 1))
        self.add(f'<path d="{ticks}" stroke="{FRAME}"/>')

    def rate_labels(self, left, to_y):
        for rate in self.rates():
            self.text(left - 7, to_y(rate) + 4.5, f"{rate:.10g}", 13, "end")

    def size_labels(self, bottom, to_x):
        for size in range(MIN_LOG, MAX_LOG + 1, LOG_STEP):
            x = to_x(size) - 2  # where base and exponent meet; two texts, as not all viewers shift a tspan right
            self.text(x, bottom + 20, "2", 13, "end")
            self.text(x + 0.5, bottom + 14.5, size, 10.5)

    def legend(self):
        left = LEFT + 3 * (PANEL_WIDTH + GAP_X) + 16
        y = TOP + PANEL_HEIGHT + GAP_Y + 50
        for series in reversed(SERIES):
            self.stroke_group(series)
            self.add(f'<path d="M{left},{y}h42"/></g>')
            if series.marker:
                self.marker_group(series)
                self.marker(series, left + 21, y)
                self.add("</g>")
            self.text(left + 54, y + 5, series.name, 14)
            y += 26
        for line in ("CUB computes order k with k scans,", "tuples with a scan of structs."):
            self.text(left, y + 8, line, 12, more=f' fill="{PALE_INK}"')
            y += 17

    def caption(self):
        machine = self.report.get("machine")
        card = machine.get("gpu") if isinstance(machine, dict) else None
        date = str(self.report.get("date") or "no date").split("T")[0]
        commit = self.report.get("commit") or "unknown"
        return f"{plain(card or 'card not named')}, {plain(date)}, commit {plain(commit)}; median times."

    def draw(self):
        title = f"Inclusive scans of {TYPES[self.type_name]} integers: throughput over size"
        caption = self.caption()
        self.add(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
                 f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="{FONTS}" fill="{INK}">')
        self.add(f"<title>{title}</title>")
        self.add(f"<desc>Bobbin, CUB and cudaMemcpy, orders 1, 2, 5, 8 and tuples of 2, 5, 8. {caption}</desc>")
        self.add(f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10" fill="#ffffff" '
                 f'stroke="#d0d0d0"/>')
        self.text(LEFT, 32, title, 17, more=' font-weight="600"')
        for line, cases in enumerate(GRID):
            for column, case in enumerate(cases):
                self.panel(case, column, line)
        middle = (TOP + PLOT_BOTTOM) / 2
        self.text(24, middle, "billions of values per second", 14, "middle",
                  f' transform="rotate(-90 24 {fixed(middle)})"')
        columns = len(GRID[-1])
        self.text(LEFT + (columns * (PANEL_WIDTH + GAP_X) - GAP_X) / 2, PLOT_BOTTOM + 42, "input size in values", 14,
                  "middle")
        self.legend()
        self.text(LEFT, HEIGHT - 16, caption, 12, more=f' fill="{PALE_INK}"')
        self.add("</svg>")
        return "\n".join(self.lines) + "\n"


def plot(results, folder):
    report = read_report(results)
    try:
        curves = collect_curves(report)
    except PlotError as error:
        raise PlotError(f"{results}: {error}") from error
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for type_name in TYPES:
            if any(by_key for by_key in curves.get(type_name, {}).values()):
                path = folder / f"scan-{type_name}.svg"
                path.write_bytes(Chart(type_name, curves[type_name], report).draw().encode("utf-8"))
                written.append(path)
    except OSError as error:
        raise PlotError(f"{error.filename or folder}: {error.strerror}") from error
    return written


def sample_report():
    """Rows like the benchmark's, from a model of a GPU: a start-up time and a rate."""
    rows = []

    def add(type_name, order, tuple_size, log, scheme="vector"):
        width = int(type_name[1:]) // 8
        values = 1 << log
        copy = 2.2e-6 + 2 * values * width / 4.2e12
        ours = 4.5e-6 + (order + tuple_size) * 0.4e-6 + 2 * values * width / (4.2e12 * (0.97 - 0.008 * order))
        cub = order * (5.2e-6 + 2 * values * width / (4.2e12 * (0.95 - 0.05 * (tuple_size - 1))))
        times = {"seconds": ours, "cub_seconds": cub, "memcpy_seconds": copy}
        rows.append({"what": "scan", "type": type_name, "scheme": scheme, "order": order, "tuple": tuple_size,
                     "values": values, "bytes": 2 * values * width}
                    | {key: {"median_s": t, "min_s": t, "max_s": t, "spread": 0, "runs": 15}
                       for key, t in times.items()})

    for type_name in TYPES:
        last = 30 if type_name == "u32" else 29
        for case in (case for line in GRID for case in line):
            add(type_name, case.order, case.tuple, last)  # the large figure: measured again below
            add(type_name, case.order, case.tuple, last, scheme="rounds")
            for log in range(MIN_LOG, last + 1):
                add(type_name, case.order, case.tuple, log)
    return {"machine": {"cpu": "a CPU", "cores": 16, "gpu": "Sample <card> & co"}, "commit": "0123abc",
            "date": "2026-01-02T03:04:05Z", "rows": rows}


def without(report, **values):
    rows = [row for row in report["rows"] if any(row[key] != value for key, value in values.items())]
    return report | {"rows": rows}


def self_test():
    failures = []
    full = sample_report()
    panels = sum(len(line) for line in GRID)
    whole = panels * len(SERIES)
    no_cub = [row | {"cub_seconds": {"median_s": 0}} if row["order"] == 8 else row for row in full["rows"]]
    # What is drawn, and how many polylines each file then has; None: no such file.
    drawn = [
        ("full", full, whole, whole),
        ("a gap", without(full, type="u32", order=5, values=1 << 20), whole + len(SERIES), whole),
        ("an empty panel", without(full, type="u64", tuple=8), whole, whole - len(SERIES)),
        ("no CUB at order 8", full | {"rows": no_cub}, whole - 1, whole - 1),
        ("one type", without(full, type="u64"), whole, None),
        ("one size", full | {"rows": [row for row in full["rows"] if row["values"] == 1 << 20]}, whole, whole),
    ]
    refused = [
        ("no file", None, "No such file"),
        ("not JSON", "{", "not JSON"),
        ("a list", "[]", "no list 'rows'"),
        ("no rows", '{"rows": []}', "no rows to draw"),
        ("only rounds", json.dumps({"rows": [r for r in full["rows"] if r["scheme"] == "rounds"]}), "no rows to draw"),
        ("no sample", json.dumps({"rows": [full["rows"][0] | {"seconds": 1}]}), "row 0: no seconds.median_s"),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, report, *expected in drawn:
            results, out = folder / "results.json", folder / what
            results.write_text(json.dumps(report), encoding="utf-8")
            plot(results, out)
            first = {path.name: path.read_bytes() for path in out.iterdir()}
            plot(results, out)
            if first != {path.name: path.read_bytes() for path in out.iterdir()}:
                failures.append(f"{what}: drawn twice, not the same bytes")
            for type_name, count in zip(TYPES, expected):
                data = first.get(f"scan-{type_name}.svg")
                found = data and len(xml.dom.minidom.parseString(data).getElementsByTagName("polyline"))
                if found != count:
                    failures.append(f"{what}: {type_name}: {found} polylines, expected {count}")
                if data and len(data) > 60000:
                    failures.append(f"{what}: {type_name}: {len(data)} bytes")
        for what, text, expected in refused:
            results = folder / f"{what}.json"
            if text is not None:
                results.write_text(text, encoding="utf-8")
            try:
                plot(results, folder / what)
                failures.append(f"{what}: drawn")
            except PlotError as error:
                if expected not in str(error) or "\n" in str(error):
                    failures.append(f"{what}: expected {expected!r}, got {str(error)!r}")
    for failure in failures:
        print(f"self-test: {failure}", file=sys.stderr)
    return len(failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, nargs="?", metavar="RESULTS.json")
    parser.add_argument("folder", type=pathlib.Path, nargs="?", metavar="OUTDIR")
    parser.add_argument("--self-test", action="store_true", help="draw built-in sample rows and check the SVGs")
    args = parser.parse_args()
    if args.self_test:
        return 1 if self_test() else 0
    if args.folder is None:
        parser.error("RESULTS.json and OUTDIR are needed")
    try:
        for path in plot(args.results, args.folder):
            print(path)
    except PlotError as error:
        print(f"plot_scan: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
