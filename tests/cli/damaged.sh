# SPDX-License-Identifier: Apache-2.0
# Flipped bytes and truncation anywhere: always status 1 and one line that names the file.
make u32 2000 'i * i % 99' > a.bin
bobbin compress a.bin --type u32 -q
python3 - <<'END'
import pathlib
import subprocess
whole = pathlib.Path("a.bin.bob").read_bytes()
cases = 0
for at in list(range(0, len(whole), 41)) + [len(whole) - 1]:
    flipped = bytearray(whole)
    flipped[at] ^= 255
    for what, data in (("flipped", flipped), ("cut", whole[:at])):
        pathlib.Path("x.bob").write_bytes(data)
        done = subprocess.run(["bobbin", "verify", "x.bob"], capture_output=True, text=True, timeout=20, check=False)
        fine = done.stdout == "" and done.stderr.startswith("bobbin: x.bob: ") and done.stderr.count("\n") == 1
        if done.returncode != 1 or not fine:
            print(what, "at", at, done)
        cases += 1
print("more than 50 cases" if cases > 50 else cases)
END
