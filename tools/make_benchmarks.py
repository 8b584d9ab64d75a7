#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of figures in README.md and pages of docs from bench/results/*.json.

A table is between two comments, <!-- figures: NAME --> and <!-- end of figures -->. Each figure comes from the
newest result that has it, so that a page cannot show older ones.

usage: make_benchmarks.py [--check] | --self-test
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/benchmarks.md", "docs/assist.md", "docs/python.md", "docs/testing.md")
BLOCK = re.compile(r"(<!-- figures: ([\w-]+) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)
PACKED_TYPES = ("u8", "u16", "u32", "u64")
MOST_WIDE = 20  # bits: the widths over which ranges are given
SCANS = [(1, 1), (2, 1), (5, 1), (8, 1), (1, 2), (1, 3), (1, 5), (1, 8), (2, 3)]  # order, tuple
SCAN_BYTES = 8_000_000_000  # read and written: the largest size only
QUERY_ROWS = 2**29
QUERY_GOALS = {  # times as fast as a kernel on raw values
    "u32, 8 bits": 3.0, "f64, 16 bits": 2.8, "f32, 16 bits": 1.8, "f64, 16 bits, 1 % exceptions": 2.2,
    "u32, delta of 8 bits": 2.0, "f64, alprd": 1.1, "u32, dictionary of 256": 2.5, "u32, dictionary of 65536": 1.2,
    "u32, runs of 16": 5.0, "u32, 8 bits, three columns, or, not": 2.4}
TEXTS = ("urls", "l_comment", "wikipedia", "email", "c_name", "hex", "chinese")


class Results:
    """Rows of result files, the newest file first."""

    def __init__(self, folder):
        files = [(json.loads(path.read_text(encoding="utf-8")), path.name) for path in folder.glob("*.json")]
        files = [(data, name) for data, name in files if data["commit"] != "dirty"]
        self.files = sorted(files, key=lambda file: file[0]["date"], reverse=True)

    def rows(self, test):
        """Matching rows of the newest file that has any."""
        for data, name in self.files:
            found = [row for row in data["rows"] if test(row, data["machine"])]
            if found:
                return found
        raise SystemExit("no result has the rows that a table needs")

    def newest_by(self, key, test):
        """Matching rows of all files, of each value of the key the newest; older files' rows first."""
        seen, found = set(), []
        for data, _ in self.files:
            rows = [row for row in data["rows"] if test(row, data["machine"]) and row[key] not in seen]
            seen.update(row[key] for row in rows)
            found = rows + found
        return found

    def row(self, test):
        return self.rows(test)[0]


def has(row, **values):
    return all(row.get(key) == value for key, value in values.items())


def on_gpu(machine):
    return machine.get("gpu") is not None


def markdown(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def percent(share, digits=0):
    return f"{100 * share:.{digits}f} %"


def span(values, show):
    low, high = show(min(values)), show(max(values))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def goal(bar, show=str):
    return show(bar) if bar else "-"


def rate(size, sample, unit):
    return size / sample["median_s"] / unit


# Tables of CSV files --------------------------------------------------------------------------------------------------

def table_name(row):
    return pathlib.Path(row["table"]).stem


def sizes(results):
    rows = results.rows(lambda row, _: "bob_bytes" in row and "parquet" in row)
    cells = [[table_name(row), *(f"{size / 1000:.0f}" for size in (
        row["csv_bytes"], row["zstd3_bytes"], row["parquet"]["snappy_bytes"], row["parquet"]["zstd_bytes"],
        row["bob_bytes"]))] for row in rows]
    return markdown(["table", "CSV, kB", "CSV with zstd -3", "Parquet, snappy", "Parquet, zstd", "`.bob`"], cells)


def table_speeds(results):
    rows = results.rows(lambda row, _: "bob_bytes" in row and "parquet" in row)
    cells = [[table_name(row), f"{rate(row['repeated_raw_bytes'], row['read_seconds'], 1e9):.1f}",
              f"{row['parquet']['zstd_decode_bytes_per_second'] / 1e9:.1f}",
              f"{rate(row['repeated_csv_bytes'], row['write_seconds'], 1e6):.0f}"] for row in rows]
    return markdown(["table", "decode, GB/s", "Parquet with zstd, GB/s", "from CSV, MB/s"], cells)


def table_speeds_quiet(results):
    rows = results.rows(lambda row, machine: "bob_bytes" in row and machine["cores"] == 16)
    cells = [[table_name(row), f"{rate(row['repeated_raw_bytes'], row['read_seconds'], 1e9):.1f}",
              f"{rate(row['repeated_csv_bytes'], row['write_seconds'], 1e6):.0f}"] for row in rows]
    return markdown(["table", "decode, GB/s", "from CSV, MB/s"], cells)


def loading(results):
    rows = results.rows(lambda row, machine: on_gpu(machine) and (
        "load_seconds" in row or row.get("what") == "copy to the GPU"))
    copy = next(row for row in rows if row["what"] == "copy to the GPU")
    copied = rate(copy["bytes"], copy["seconds"], 1e9)
    cells = [[row["what"], f"{row['raw_bytes'] / 1e6:.0f}", f"{row['compressed_bytes'] / 1e6:.0f}",
              f"{1e3 * row['load_seconds']['median_s']:.1f}",
              f"{rate(row['compressed_bytes'], row['load_seconds'], 1e9) / copied:.2f}",
              f"{rate(row['raw_bytes'], row['decode_seconds'], 1e9):.0f}"]
             for row in rows if row["what"] in ("all columns", "numbers", "city", "url")]
    heads = ["columns", "raw, MB", "compressed, MB", "loaded, ms", f"of the copy's {copied:.0f} GB/s",
             "decode alone, GB/s of output"]
    return markdown(heads, cells)


# Codecs on the GPU ----------------------------------------------------------------------------------------------------

def packed_rows(results, what, kind, most=MOST_WIDE):
    return [row for row in results.rows(lambda row, machine: on_gpu(machine) and has(row, what=what, type=kind))
            if row["width"] <= most]


def packing(results):
    cells = []
    for what, name in (("bitpack decode", "`bitpack` decode"), ("ffor decode", "`ffor` decode"),
                       ("bitpack encode, width known", "`bitpack` encode, width known"),
                       ("ffor encode", "`ffor` encode")):
        rows = [packed_rows(results, what, kind) for kind in PACKED_TYPES]
        cells.append([name, *(span([row["share"] for row in group], percent) for group in rows),
                      goal(rows[2][0]["bar"], percent)])
    compare = [next(row for row in packed_rows(results, "compare (% of CUB's read)", kind) if row["width"] == 8)
               for kind in PACKED_TYPES]
    cells.append(["compare at width 8, share of CUB's read rate", *(percent(row["share"]) for row in compare),
                  goal(compare[2]["bar"], percent)])
    return markdown(["", *PACKED_TYPES, "goal"], cells)


def deltas(results):
    cells = []
    for kind in PACKED_TYPES:
        line = [kind]
        for order, stride in ((1, 1), (2, 1), (5, 1), (8, 1), (1, 3), (2, 3)):
            what = f"delta decode, order {order}, stride {stride}"
            row = results.row(lambda row, machine: on_gpu(machine) and has(row, what=what, type=kind))
            line.append(percent(row["share"]))
        cells.append(line)
    return markdown(["", "order 1", "2", "5", "8", "order 1, stride 3", "order 2, stride 3"], cells)


def patches(results):
    found = results.rows(lambda row, machine: on_gpu(machine) and row.get("how") in ("sorted", "by lanes"))
    shares = ("-", "0.1", "1.0", "5.0", "10.0")
    cells = []
    for how in ("sorted", "by lanes"):
        rows = [next(row for row in found if has(row, how=how, what=f"u32, 8 bits, {share} % patches"))
                for share in shares]
        cells.append([how, *(percent(row["share_of_memcpy"], 1) for row in rows)])
    cells.append(["goal", *(f"{row['bar']:.0f} %" for row in rows)])
    return markdown(["", "no patches", "0.1 %", "1 %", "5 %", "10 %"], cells)


def floats(results):
    ways = ("alp", "alprd", "alp, encoding", "alprd, encoding")
    found = results.rows(lambda row, machine: on_gpu(machine) and row.get("how") in ways)
    whats = [f"{kind}, {share} % exceptions" for kind in ("f64", "f32") for share in ("-", "1")]
    cells = []
    for how, name in (("alp", "`alp` decode"), ("alprd", "`alprd` decode"), ("alp, encoding", "`alp` encode"),
                      ("alprd, encoding", "`alprd` encode")):
        rows = [next(row for row in found if has(row, how=how, what=what)) for what in whats]
        cells.append([name, *(percent(row["share_of_memcpy"], 1) for row in rows),
                      goal(rows[0]["bar"], lambda bar: f"{bar:.0f} %")])
    return markdown(["", "f64", "f64, 1 % exceptions", "f32", "f32, 1 % exceptions", "goal"], cells)


def scan_row(results, kind, order, tuple_size):
    return results.row(lambda row, machine: on_gpu(machine) and has(
        row, what="scan", type=kind, scheme="vector", order=order, tuple=tuple_size) and row["bytes"] > SCAN_BYTES)


def scans(results):
    cells = []
    for kind in ("u32", "u64"):
        rows = [scan_row(results, kind, *shape) for shape in SCANS]
        cells.append([kind, *(f"{percent(row['share'])} ({100 * row['cub_share']:.0f})" for row in rows)])
    cells.append(["goal", *(goal(scan_row(results, "u32", *shape)["bar"], percent) for shape in SCANS)])
    heads = ["", "order 1", "2", "5", "8", "tuples of 2", "3", "5", "8", "order 2, tuples of 3"]
    return markdown(heads, cells)


def text_row(results, text, what):
    return results.row(lambda row, machine: on_gpu(machine) and has(row, text=text, what=what))


def strings(results):
    cells = []
    for text in TEXTS:
        decode, steps, encode, codes, decoded = (text_row(results, text, what) for what in (
            "decode, bytes and offsets", "step: buffered stores", "encode, end to end", "equality on codes",
            "equality by decoding and comparing"))
        cells.append([text, f"{decode['factor']:.2f}", f"{decode['gb_per_s']:.0f}",
                      goal(decode["bar"], lambda bar: f"{bar:.0f}"), f"{steps['gb_per_s']:.0f}",
                      f"{encode['gb_per_s']:.0f}",
                      f"{codes['gb_per_s'] / decoded['gb_per_s']:.1f}"])
    heads = ["text", "ratio", "decode, GB/s", "goal", "one thread per string, GB/s", "encode, GB/s",
             "equality on codes, times as fast as decoding first"]
    return markdown(heads, cells)


def is_query(row, machine):
    return (on_gpu(machine) and "times_raw" in row and "seconds" in row
            and (row["how"] == "compiled" or row["how"].startswith("against")))


def is_kernel_alone(row, machine):
    """A kernel that queries run, not one that was only tried."""
    return on_gpu(machine) and row.get("kernel") in ("as landed", "as committed") and row["values"] == QUERY_ROWS


def query_cells(row):
    what, how = row["what"], row.get("how", "")
    if "kernel" in row:
        times = row["kernel_ms"], row["raw_kernel_ms"], row["raw_over_kernel"]
    else:
        times = 1e3 * row["seconds"]["median_s"], 1e3 * row["raw_seconds"]["median_s"], row["times_raw"]
    other = how.removeprefix("against ") if how.startswith("against") else "a raw kernel"
    return [what, other, "kernel alone" if "kernel" in row else "query", *(f"{time:.3f}" for time in times[:2]),
            f"{times[2]:.2f}", goal(QUERY_GOALS.get(what, row.get("bar")))]


def queries(results):
    """Queries of the benchmark program; where a kernel was measured alone since, that."""
    asked = {row["what"] for data, _ in results.files for row in data["rows"] if is_query(row, data["machine"])}
    rows = results.newest_by("what", lambda row, machine: is_query(row, machine) or (
        is_kernel_alone(row, machine) and row["what"] in asked))
    return markdown(["query", "compared with", "measured", "ms", "its ms", "times as fast", "goal"],
                    [query_cells(row) for row in rows])


# zstd -----------------------------------------------------------------------------------------------------------------

def zstd_decode(results):
    """Frames of one size are in one file of results, with nvCOMP where it was installed."""
    cells = []
    for size in (1 << 16, 1 << 20, 1 << 28):
        rows = results.rows(lambda row, machine: on_gpu(machine) and has(row, frame_bytes=size))
        for row in (row for row in rows if row["what"] == "decode"):
            peer = [other for other in rows
                    if has(other, file=row["file"], frames=row["frames"], what="nvCOMP decode")]
            cells.append([row["file"], row["frames"], "64 KiB" if size == 1 << 16 else f"{size >> 20} MiB", f"{row['ratio']:.2f}",
                          f"{row['gb_per_s']:.0f}", f"{peer[0]['gb_per_s']:.0f}" if peer else "-"])
    return markdown(["content", "frames of", "each", "ratio", "decode, GB/s", "nvCOMP, GB/s"], cells)


def ans(results):
    rows = results.rows(lambda row, machine: on_gpu(machine) and "nvCOMP decode" == row.get("what") and "frames" not in row)
    cells = []
    for peer in rows:
        file = peer["file"]
        ours, made, theirs = (results.row(lambda row, machine: on_gpu(machine) and "frames" not in row
                                          and "level" not in row and has(row, file=file, what=what))
                              for what in ("decode", "encode", "nvCOMP encode"))
        cells.append([file, f"{ours['ratio']:.2f}", f"{peer['ratio']:.2f}", f"{ours['gb_per_s']:.0f}",
                      f"{peer['gb_per_s']:.0f}", f"{made['gb_per_s']:.0f}", f"{theirs['gb_per_s']:.0f}"])
    return markdown(["content", "ratio", "nvCOMP", "decode, GB/s", "nvCOMP", "encode, GB/s", "nvCOMP"], cells)


def batches(results):
    rows = results.rows(lambda row, machine: on_gpu(machine) and "share_of_one_array" in row)
    cells = [[row["case"], str(row["arrays"]), f"{1e6 * row['one_array']['median_s']:.0f}",
              f"{1e6 * row['batch']['median_s']:.0f}", f"{1e6 * row['one_by_one']['median_s']:.0f}",
              f"{100 * row['share_of_one_array']:.0f} %"] for row in rows]
    return markdown(["values", "arrays", "one array, µs", "batch, µs", "one by one, µs", "of one array's speed"], cells)


def lines(results):
    """The kinds of data in the order of the file."""
    rows = results.rows(lambda row, machine: on_gpu(machine) and row.get("what") == "sum, tiles")
    of = {(row["type"], row["data"], row["what"]): row for row in results.rows(
        lambda row, machine: on_gpu(machine) and "relative" in row)}
    cells = [[row["type"], row["data"], f"{row['ratio']:.2f}",
              *(of[row["type"], row["data"], what]["relative"].removesuffix(" of memcpy").removesuffix(" of raw")
                for what in ("compress", "decompress", "sum, tiles", "filter, tiles", "sum, slots", "get, slots"))]
             for row in rows]
    heads = ["type", "data", "ratio", "compress, of memcpy", "decompress, of memcpy", "sum, tiles", "filter, tiles",
             "sum, slots", "gather, slots"]
    return markdown(heads, cells)


def zstd_encode(results):
    rows = results.rows(lambda row, machine: on_gpu(machine) and row.get("what") == "encode" and "level" in row)
    cells = [[row["file"], row["level"], f"{row['ratio']:.2f}", f"{row['gb_per_s']:.1f}", goal(row["bar"])]
             for row in rows]
    return markdown(["content", "level", "ratio", "compress, GB/s", "goal"], cells)


# On a CPU core --------------------------------------------------------------------------------------------------------

def cpu_queries(results):
    rows = results.rows(lambda row, machine: not on_gpu(machine) and "than" in row)
    cells = [[row["what"], row["how"], row["than"], f"{row['times']:.2f}"] for row in rows]
    return markdown(["values", "work", "compared with", "times as fast"], cells)


def cpu_strings(results):
    rows = results.rows(lambda row, machine: not on_gpu(machine) and row.get("what") == "fsst")
    zstd = results.rows(lambda row, machine: not on_gpu(machine) and has(row, what="zstd -1") and "text" in row)
    cells = []
    for ours, theirs in zip(rows, zstd):
        cells.append([ours["text"], f"{ours['bytes'] / ours['encoded_bytes']:.2f}",
                      f"{theirs['bytes'] / theirs['encoded_bytes']:.2f}",
                      *(f"{rate(row['bytes'], row[work], 1e6):.0f}"
                        for work in ("decode_seconds", "encode_seconds") for row in (ours, theirs))])
    heads = ["text", "ratio", "zstd -1", "decode, MB/s", "zstd -1", "encode, MB/s", "zstd -1"]
    return markdown(heads, cells)


def small_reads(results):
    rows = results.rows(lambda row, machine: not on_gpu(machine) and "vortex_least_seconds" in row)
    names = {"range": "100 rows of all columns, file open", "open, range": "100 rows of all columns",
             "open, first rows": "first 10 rows", "passing": "3 rows with flight = 101, file open",
             "open, passing": "3 rows with flight = 101", "open, all": "all rows"}
    cells = [[names[row["read"]], f"{1e3 * row['least_seconds']:.2f}", f"{1e3 * row['vortex_least_seconds']:.2f}"]
             for row in rows]
    return markdown(["read", "Bobbin, ms", "Vortex, ms"], cells)


def python_reads(results):
    rows = results.rows(lambda row, machine: "python_read" in row)
    cells = []
    for name in dict.fromkeys(row["python_read"] for row in rows):
        own, *others = [row for row in rows if row["python_read"] == name]
        beside = ", ".join(f"{other['library']} {1e3 * other['seconds']['median_s']:.1f}" for other in others)
        shares = ", ".join(f"{other['seconds']['median_s'] / own['seconds']['median_s']:.2f}" for other in others)
        cells.append([name, f"{1e3 * own['seconds']['median_s']:.1f}", beside, shares])
    return markdown(["work", "Bobbin, ms", "others, ms", "times as fast"], cells)


def cpu_packing(results):
    found = results.rows(lambda row, machine: not on_gpu(machine) and row.get("method") == "bitpack")
    others = results.rows(lambda row, machine: not on_gpu(machine) and row.get("method") == "ffor")
    cells = []
    for name, rows in (("`bitpack`", found), ("`ffor`", others)):
        for work in ("decode", "encode"):
            shares = [[row[f"{work}_of_memcpy"] for row in rows if row["type"] == kind and row["width"] <= MOST_WIDE]
                      for kind in PACKED_TYPES]
            cells.append([f"{name} {work}", *(span(group, lambda share: f"{share:.2f}") for group in shares)])
    return markdown(["", *PACKED_TYPES], cells)


def cpu_scans(results):
    rows = results.rows(lambda row, machine: not on_gpu(machine) and row.get("what") == "scan")
    chosen = [row for row in rows if row["op"] == "sum" and row["tuple"] == 1]
    orders = sorted({row["order"] for row in chosen})
    kinds = list(dict.fromkeys(row["type"] for row in chosen))
    cells = []
    for kind in kinds:
        shares = {row["order"]: row["share"] for row in chosen if row["type"] == kind}
        cells.append([kind, *(f"{shares[order]:.2f}" if order in shares else "-" for order in orders)])
    return markdown(["", *(f"order {order}" for order in orders)], cells)


# Tables of other pages -------------------------------------------------------------------------------------------------

def python_scaling(results):
    """The newest run on a machine where 16 workers have a core each."""
    rows = results.rows(lambda row, machine: "processes" in row and machine["cores"] >= 16)
    numbers = sorted({row["processes"] for row in rows})
    heads = {0: "one process, no Dask", 1: "1 worker"}
    seconds = {(row["question"], row["processes"]): f"{row['median_s']:.2f}" for row in rows}
    names = {"Q1": "sums by two columns (from Q1)", "Q6": "filter and sum (from Q6)"}
    return markdown(["", *(heads.get(number, number) for number in numbers)],
                    [[name, *(seconds[question, number] for number in numbers)] for question, name in names.items()])


def assist_policies(results):
    names = {"zeros": "zeros", "near": "a base and deltas of one byte", "wide": "a base and deltas of two bytes",
             "mixed": "lines of all classes"}
    cells = []
    for data, name in names.items():
        rows = results.rows(lambda row, machine: on_gpu(machine) and has(row, type="u32", data=data))
        raw = next(row for row in rows if row["what"] == "sum, raw")["seconds"]["median_s"]
        sums = [next(row for row in rows if row["what"] == what)
                for what in ("sum, tiles", "sum, tiles, fetched", "sum, tiles, expanded")]
        cells.append([name, f"{sums[0]['ratio']:.2f}", *(f"{raw / row['seconds']['median_s']:.2f}" for row in sums)])
    return markdown(["data", "ratio", "`none`", "`fetch`", "`expand`"], cells)


# The table of README.md -----------------------------------------------------------------------------------------------

def speeds(results):
    tables = results.rows(lambda row, _: "bob_bytes" in row and "parquet" in row)
    ours = [rate(row["repeated_raw_bytes"], row["read_seconds"], 1e9) for row in tables]
    parquet = [row["parquet"]["zstd_decode_bytes_per_second"] / 1e9 for row in tables]
    query = results.row(lambda row, machine: is_query(row, machine) and row["what"] == "u32, 8 bits")
    urls = text_row(results, "urls", "decode, bytes and offsets")
    steps = text_row(results, "urls", "step: buffered stores")
    scan = scan_row(results, "u32", 2, 1)
    load = results.row(lambda row, machine: on_gpu(machine) and has(row, what="all columns"))
    copy = results.row(lambda row, machine: on_gpu(machine) and has(row, what="copy to the GPU"))
    copied = rate(copy["bytes"], copy["seconds"], 1)
    raw_ms = 1e3 * load["raw_bytes"] / copied
    memory = scan["gb_per_s"] / scan["share"]
    return markdown(["work", "where", "Bobbin", "instead"], [
        ["decode the five tables above", "one CPU core", span(ours, lambda x: f"{x:.1f}") + " GB/s",
         f"Parquet with zstd: {span(parquet, lambda x: f'{x:.1f}')} GB/s"],
        ["filter and sum a `u32` column of 8 bits", "H200",
         f"{rate(query['raw_bytes'], query['seconds'], 1e12):.1f} TB/s of values",
         f"a tuned kernel on raw values: {rate(query['raw_bytes'], query['raw_seconds'], 1e12):.1f} TB/s"],
        ["decode URLs (`fsst`)", "H200", f"{urls['gb_per_s']:.0f} GB/s",
         f"one thread per string: {steps['gb_per_s']:.0f} GB/s"],
        ["prefix sum of order 2", "H200", f"{scan['gb_per_s'] / 1e3:.1f} TB/s",
         f"CUB: {scan['cub_share'] * memory / 1e3:.1f} TB/s"],
        [f"load a table of {load['raw_bytes'] / 1e9:.1f} GB", "H200",
         f"{1e3 * load['load_seconds']['median_s']:.0f} ms",
         f"copying its raw columns: {raw_ms:.0f} ms at {copied / 1e9:.0f} GB/s"],
    ])


# Fuzzing --------------------------------------------------------------------------------------------------------------

def reached(row):
    if row is None:
        return "not measured"
    folders = ", ".join(f"`{folder}`" for folder in row["folders"])
    return f"{percent(row['reached'] / row['lines'])} of {row['lines']:,} in {folders}"


def fuzzing(results):
    """Adds up the runs of each target."""
    runs = results.rows(lambda row, _: "executions" in row)
    covered = {row["target"]: row for row in results.newest_by("target", lambda row, _: "reached" in row)}
    cells = []
    for target in sorted({row["target"] for row in runs}):
        own = [row for row in runs if row["target"] == target]
        cells.append([f"`{target}`", f"{sum(row['executions'] for row in own):,}",
                      f"{sum(row['cpu_minutes'] for row in own):.0f}", own[-1]["commit"], reached(covered.get(target))])
    return markdown(["target", "executions", "minutes of CPU", "last run at", "lines reached"], cells)


TABLES = {"sizes": sizes, "speeds": speeds, "table-speeds": table_speeds, "table-speeds-quiet": table_speeds_quiet,
          "loading": loading, "packing": packing, "deltas": deltas, "patches": patches, "floats": floats,
          "scans": scans, "strings": strings, "queries": queries, "cpu-queries": cpu_queries,
          "cpu-strings": cpu_strings, "cpu-packing": cpu_packing, "cpu-scans": cpu_scans,
          "small-reads": small_reads, "python-reads": python_reads, "zstd-decode": zstd_decode, "zstd-encode": zstd_encode, "ans": ans, "lines": lines,
          "batches": batches, "python-scaling": python_scaling, "assist-policies": assist_policies,
          "fuzzing": fuzzing}


def filled(text, make):
    """The text with each table regenerated; an unknown table name raises KeyError."""
    return BLOCK.sub(lambda block: block[1] + make(block[2]) + block[4], text)


def self_test():
    text = "a\n<!-- figures: x -->\nold\n<!-- end of figures -->\nb\n"
    once = filled(text, lambda name: f"| {name} |\n")
    assert once == "a\n<!-- figures: x -->\n| x |\n<!-- end of figures -->\nb\n", once
    assert filled(once, lambda name: f"| {name} |\n") == once
    assert filled(once, lambda name: "| other |\n") != once
    assert span([0.911, 0.964], percent) == "91 to 96 %"
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a table is out of date")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    results = Results(ROOT / "bench/results")
    stale = []
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        new = filled(text, lambda name: TABLES[name](results))
        if new != text and not args.check:
            path.write_text(new, encoding="utf-8")
        stale += [page] if new != text else []
    if args.check and stale:
        print(f"{', '.join(stale)}: figures are out of date; run tools/make_benchmarks.py", file=sys.stderr)
        return 1
    print("benchmarks: up to date" if not stale else f"benchmarks: wrote {', '.join(stale)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
