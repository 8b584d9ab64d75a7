# SPDX-License-Identifier: Apache-2.0
# Ctrl-C in the middle of long work ends it at once, and leaves nothing.
cat > t.py <<'END'
import os, random, signal, subprocess, sys, time
draw = random.Random(5)
rows = "".join(f"{i},name {draw.randrange(9999)} of {draw.random()},{0.1 + draw.random()!r},{draw.random():.9f}\n" for i in range(20000))
with open("t.csv", "w") as out:
    out.write("id,name,rate,share\n" + 20 * rows)

def interrupt(command, number, after):
    """Whether the signal came in time."""
    one = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(after)
    start = time.monotonic()
    one.send_signal(number)
    error = one.communicate()[1].decode()
    took = time.monotonic() - start
    if one.returncode == 0:
        if os.path.exists("t.out"):
            os.unlink("t.out")
        return False
    # Usually a few milliseconds; a second is for machines with more to do.
    left = [name for name in os.listdir(".") if name.endswith((".tmp", ".out"))]
    if one.returncode != -number or left or took > 1 or error not in ("", "bobbin: interrupted\n"):
        print(command, number, after, one.returncode, left, took, error)
    return True

for command in ("compress -q --goal compact t.csv -o t.out", "compress -q t.csv --threads 1 -o t.out",
                "zstd -q -9 t.csv -o t.out", "query t.csv --group name", "report -q t.csv -o t.out"):
    words = ["bobbin", *command.split()]
    came = [interrupt(words, number, after) for after in (0.02, 0.05, 0.1, 0.2) for number in (signal.SIGINT, signal.SIGTERM)]
    print(command.split()[0], "interrupted" if any(came) else "was never interrupted")
END
python3 t.py
ls
