#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the applications of the benchmark of compressed memory: times the speed on raw values, as SVG.

usage: plot_assist.py RESULTS.json OUT.svg | --self-test

RESULTS.json is what bobbin-bench-gpu-assist --out writes. The same input gives the same bytes.
"""
import argparse
import json
import pathlib
import sys
import xml.dom.minidom
import xml.sax.saxutils

# Drawn in this order, with these colours; distinguishable by darkness too.
WAYS = {
    "hardware": ("hardware compression", "#c9c9c9"),
    "tiles, expanded": ("tiles, expanded by assist warps", "#e9b06b"),
    "tiles, fetched": ("tiles, fetched by assist warps", "#d97706"),
    "slots": ("slots", "#7fa8d8"),
    "tiles": ("tiles", "#0b4a94"),
    "profile": ("raw or tiles, as the profile decides", "#1b7f4b"),
}
LEFT, TOP, WIDTH, BAR, GAP = 170, 60, 620, 8, 12


def read_apps(rows):
    """By application, in the order of the rows: limit, ratio and speeds."""
    apps = {}
    for row in rows:
        if "app" in row:
            app = apps.setdefault(row["app"], {"limit": row["limit"], "ratio": row["ratio"], "speeds": {}})
            app["speeds"][row["way"]] = row["speed"]
    return {name: app for name, app in apps.items() if any(way in WAYS for way in app["speeds"])}


def text(x, y, content, anchor="start", size=11, colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">'
            f"{xml.sax.saxutils.escape(content)}</text>")


def draw(apps):
    most = max([2.0] + [speed for app in apps.values() for speed in app["speeds"].values()])
    scale = WIDTH / (most * 1.05)
    parts = []
    y = TOP
    for name, app in apps.items():
        ways = [way for way in WAYS if way in app["speeds"]]
        height = len(ways) * BAR
        parts.append(text(LEFT - 8, y + height / 2, name, "end", 12))
        parts.append(text(LEFT - 8, y + height / 2 + 11, f"{app['limit']}, ratio {app['ratio']:.1f}", "end", 9, "#666"))
        for way in ways:
            width = app["speeds"][way] * scale
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 1}" fill="{WAYS[way][1]}"/>')
            parts.append(text(LEFT + width + 3, y + BAR - 1, f"{app['speeds'][way]:.2f}", size=8, colour="#444"))
            y += BAR
        y += GAP
    grid = []
    step = 0.5 if most < 4 else 1
    for i in range(int(most / step) + 1):
        x = LEFT + i * step * scale
        colour = "#222" if i * step == 1 else "#ddd"
        grid.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{y - GAP + 4}" stroke="{colour}"/>')
        grid.append(text(x, TOP - 10, f"{i * step:g}", "middle", 10))
    x = LEFT
    legend = []
    for label, colour in WAYS.values():
        legend.append(f'<rect x="{x}" y="12" width="10" height="10" fill="{colour}"/>')
        legend.append(text(x + 14, 21, label, size=10))
        x += 30 + 5.6 * len(label)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{y}" '
            'font-family="sans-serif"><title>Times the speed on raw values</title>'
            '<rect width="100%" height="100%" fill="#fff"/>')
    return "\n".join([head, *legend, *grid, *parts, "</svg>"]) + "\n"


def self_test():
    rows = [{"app": "sum", "limit": "memory", "ratio": 3.1, "way": way, "speed": speed}
            for way, speed in (("raw", 1.0), ("tiles", 2.1), ("hardware", 1.5))] + [{"type": "u32"}]
    picture = draw(read_apps(rows))
    xml.dom.minidom.parseString(picture)
    assert "2.10" in picture and "1.50" in picture and picture == draw(read_apps(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return
    if not arguments.results or not arguments.out:
        parser.error("name the results and the picture")
    apps = read_apps(json.loads(pathlib.Path(arguments.results).read_text(encoding="utf-8"))["rows"])
    if not apps:
        sys.exit("plot_assist: the results have no applications")
    pathlib.Path(arguments.out).write_text(draw(apps), encoding="utf-8")


if __name__ == "__main__":
    main()
