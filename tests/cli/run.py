#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command's recorded tests.

A case NAME is a script NAME.sh with its expected output, NAME.stdout and NAME.stderr, and exit status, NAME.exit.
A missing file means no output, or status 0. In an expected line, `*` matches any text. Each case runs with
bash in a fresh folder, with `bobbin` on the PATH and the helpers of lib.sh loaded, and must leave no temporary file.

usage: run.py --bin DIR [--record] [--one-in N] [NAME...]
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_SECONDS = 120


def read(path, default=""):
    return path.read_text() if path.exists() else default


def line_matches(pattern, line):
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), line) is not None


def matches(expected, actual):
    wanted, got = expected.splitlines(), actual.splitlines()
    return len(wanted) == len(got) and all(map(line_matches, wanted, got))


def run_with_limit(command, folder, env):
    """Like subprocess.run, but on a timeout everything the script has started is killed too."""
    with subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            stderr += f"took over {TIMEOUT_SECONDS} seconds\n".encode()
    return (stdout.decode(errors="replace"), stderr.decode(errors="replace"), process.returncode)


def run_script(name, bin_dir):
    """The case's output and status, and the temporary files it left."""
    with tempfile.TemporaryDirectory(prefix="bobbin-cli-") as folder:
        temporary = pathlib.Path(folder, "tmp")
        work = pathlib.Path(folder, "work")
        temporary.mkdir()
        work.mkdir()
        env = dict(os.environ, PATH=f"{bin_dir}:{os.environ['PATH']}", BOBBIN=str(bin_dir / "bobbin"), LC_ALL="C", TERM="dumb",
                   TMPDIR=str(temporary), TOOL=str(HERE / "tool.py"), BASH_ENV=str(HERE / "lib.sh"))
        env.pop("BOBBIN_COMMIT", None)
        stdout, stderr, status = run_with_limit(["bash", str(HERE / f"{name}.sh")], work, env)
        left = [str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob("*")
                if p.name.startswith(".bobbin-") or p.name.startswith("bobbin-")]
        return stdout, stderr, status, left


def show(kind, expected, actual):
    return "".join([f"  {kind}, expected:\n"] + [f"    {line}\n" for line in expected.splitlines()] +
                   [f"  {kind}, got:\n"] + [f"    {line}\n" for line in actual.splitlines()])


def check(name, bin_dir):
    stdout, stderr, status, left = run_script(name, bin_dir)
    problems = ""
    for kind, actual in (("stdout", stdout), ("stderr", stderr)):
        expected = read(HERE / f"{name}.{kind}")
        if not matches(expected, actual):
            problems += show(kind, expected, actual)
    expected_status = int(read(HERE / f"{name}.exit", "0"))
    if status != expected_status:
        problems += f"  exit status {status}, expected {expected_status}\n"
    if left:
        problems += f"  left over: {', '.join(left)}\n"
    return problems


def record(name, bin_dir):
    stdout, stderr, status, left = run_script(name, bin_dir)
    for kind, actual in (("stdout", stdout), ("stderr", stderr)):
        path = HERE / f"{name}.{kind}"
        if matches(read(path), actual):
            continue  # keeps the lines with a `*`
        path.write_text(actual)
        if not actual:
            path.unlink()
    (HERE / f"{name}.exit").write_text(f"{status}\n")
    return f"  left over: {', '.join(left)}\n" if left else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the built programs")
    parser.add_argument("--record", action="store_true", help="record what the cases print now")
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="run one case in N, drawn by BOBBIN_SEED")
    parser.add_argument("names", nargs="*", help="cases to run (default: all)")
    args = parser.parse_args()
    names = args.names or sorted(p.stem for p in HERE.glob("*.sh") if p.stem != "lib")
    if not (args.bin / "bobbin").exists():
        sys.exit(f"{args.bin}/bobbin not found: build it first")
    names = names[int(os.environ.get("BOBBIN_SEED", "0")) % min(args.one_in, len(names))::args.one_in]
    failed = 0
    for name in names:
        problems = (record if args.record else check)(name, args.bin.resolve())
        print(f"{'FAILED' if problems else 'ok'}: {name}\n{problems}", end="")
        failed += bool(problems)
    print(f"{len(names) - failed} of {len(names)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
