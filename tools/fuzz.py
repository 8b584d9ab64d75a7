#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets, measures what they cover, and keeps the record of both in bench/results/fuzzing.json.

run       each target for some minutes of the clock, a few at once. An input that fails is kept in FOUND and ends the
          run. Runs of a minute or more are recorded: executions, minutes of CPU, commit.
coverage  the lines that a target's corpus reaches in the folders that its source names in a line "// Covers: ...".
          The programs are those that replay a corpus, built with g++ --coverage.

usage: fuzz.py run --build DIR [--minutes N] [--jobs N] [--commit ID] TARGET...
       fuzz.py coverage --build DIR [--commit ID] TARGET... | --self-test
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench/results/fuzzing.json"
EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
COVERS = re.compile(r"^// Covers: (.+)$", re.MULTILINE)
LEAST_MINUTES = 1.0  # shorter runs are trials


def load(path):
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    return {"machine": {}, "commit": "", "date": "", "rows": []}


def record(rows, commit, path=RECORD):
    """Appends rows; a coverage row replaces the one of its target."""
    data = load(path)
    covered = {row["target"] for row in rows if "lines" in row}
    kept = [row for row in data["rows"] if "lines" not in row or row["target"] not in covered]
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    data = {"machine": {"cpu": cpu_name(), "cores": os.cpu_count()}, "commit": commit, "date": date,
            "rows": kept + [{**row, "commit": commit, "date": date} for row in rows]}
    lines = ",\n  ".join(json.dumps(row) for row in data["rows"])
    head = json.dumps({key: value for key, value in data.items() if key != "rows"})
    path.write_text(f'{head[:-1]},\n "rows": [\n  {lines}\n ]}}\n', encoding="utf-8")


def cpu_name():
    found = re.search(r"^model name\s*: (.+)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else os.uname().machine


# Running ----------------------------------------------------------------------------------------------------------------

class Failed(Exception):
    pass


def corpora(build, target):
    """New inputs go to the build folder; the committed corpus is only read."""
    own = build / "corpus" / target
    own.mkdir(parents=True, exist_ok=True)
    committed = ROOT / "fuzz/corpus" / target
    return [own] + ([committed] if committed.is_dir() else [])


def run_one(build, target, minutes):
    found = build / "found"
    found.mkdir(exist_ok=True)
    log = build / f"{target}.log"
    # As in the tests under AddressSanitizer: second stacks of fibers took all memory after some thousand inputs.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_stack_use_after_return=0"}
    command = [str(build / "bin" / f"fuzz_{target}"), f"-max_total_time={round(minutes * 60)}", "-timeout=20",
               "-rss_limit_mb=4096", "-print_final_stats=1", f"-artifact_prefix={found}/{target}-",
               *map(str, corpora(build, target))]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    text = log.read_text(encoding="utf-8", errors="replace")
    if status != 0:
        raise Failed(f"{text[-6000:]}\n{target} failed; its input is in {found}")
    executions = int(EXECUTIONS.search(text)[1])
    cpu = (usage.ru_utime + usage.ru_stime) / 60
    print(f"{target}: {executions} executions, {cpu:.1f} minutes of CPU", flush=True)
    return {"target": target, "executions": executions, "cpu_minutes": round(cpu, 1)}


def run(args):
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = [pool.submit(run_one, args.build, target, args.minutes) for target in args.targets]
        failures = []
        for each in concurrent.futures.as_completed(runs):
            try:
                row = each.result()
            except Failed as failure:
                failures.append(str(failure))
                pool.shutdown(wait=False, cancel_futures=True)
                break
            if args.minutes >= LEAST_MINUTES:
                record([row], args.commit)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


# Coverage ---------------------------------------------------------------------------------------------------------------

def covers(target):
    text = (ROOT / "fuzz/targets" / f"{target}.cpp").read_text(encoding="utf-8")
    found = COVERS.findall(text)
    if not found:
        raise SystemExit(f"fuzz/targets/{target}.cpp has no line \"// Covers: ...\"")
    return " ".join(found).split()


def count(reports, folders):
    """Lines of the folders, and those that ran, in gcov's reports: a header's lines are in many."""
    seen = {}
    for report in reports:
        for file in report["files"]:
            path = os.path.relpath(os.path.join(ROOT, file["file"]), ROOT)
            if not any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders):
                continue
            for line in file["lines"]:
                key = (path, line["line_number"])
                seen[key] = seen.get(key, False) or line["count"] > 0
    return len(seen), sum(seen.values())


def gcov(build):
    data = sorted(build.rglob("*.gcda"))
    output = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, data)], cwd=build, check=True,
                            capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def coverage(args):
    rows = []
    for target in args.targets:
        for old in args.build.rglob("*.gcda"):
            old.unlink()
        inputs = [folder for folder in corpora(ROOT / "build/fuzz", target) if any(folder.iterdir())]
        subprocess.run([args.build / "bin" / f"fuzz_{target}", *inputs], check=True, stdout=subprocess.DEVNULL)
        folders = covers(target)
        lines, reached = count(gcov(args.build), folders)
        print(f"{target}: {reached} of {lines} lines of {' '.join(folders)}", flush=True)
        rows.append({"target": target, "folders": folders, "lines": lines, "reached": reached})
    record(rows, args.commit)
    return 0


def self_test():
    reports = [{"files": [{"file": "src/a/x.cpp", "lines": [{"line_number": 1, "count": 0}, {"line_number": 2, "count": 3}]},
                          {"file": "src/ab/y.cpp", "lines": [{"line_number": 1, "count": 1}]}]},
               {"files": [{"file": str(ROOT / "src/a/x.cpp"), "lines": [{"line_number": 1, "count": 1}]}]}]
    assert count(reports, ["src/a"]) == (2, 2)
    assert count(reports, ["src/ab/y.cpp"]) == (1, 1)
    assert count(reports[:1], ["src/a/"]) == (2, 1)
    for source in (ROOT / "fuzz/targets").glob("*.cpp"):
        assert all((ROOT / folder).exists() for folder in covers(source.stem)), source
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("run", "coverage"))
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--commit", default="none")
    parser.add_argument("targets", nargs="+")
    args = parser.parse_args()
    args.build = args.build.resolve()
    return run(args) if args.verb == "run" else coverage(args)


if __name__ == "__main__":
    sys.exit(main())
