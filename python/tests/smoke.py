# SPDX-License-Identifier: Apache-2.0
"""What a fresh installation must do with nothing else installed; ./dev wheel runs it in an empty environment."""
import importlib.util
import os
import subprocess
import sys
import tempfile

import bobbin as bb

TRIES = 5


def import_seconds() -> float:
    """On the CPU, so that other work on the machine does not count."""
    code = "import time; t = time.process_time(); import bobbin; print(time.process_time() - t)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
               for _ in range(TRIES))


def main() -> None:
    for absent in ("numpy", "pyarrow"):
        assert importlib.util.find_spec(absent) is None, f"{absent} is installed here"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.bob")
        bb.write({"x": list(range(1000)), "s": [f"text {i % 7}" for i in range(1000)]}, path)
        with bb.open(path) as f:
            f.verify()
            assert f.scan(where=bb.col("x") < 10).sum("x") == 45
            assert f.scan().group_counts("s")["text 0"] == 143
    assert bb.encode(range(100)).decode().tolist() == list(range(100))
    seconds = import_seconds()
    print(f"bobbin {bb.__version__}: works; import takes {1000 * seconds:.0f} ms")


if __name__ == "__main__":
    main()
