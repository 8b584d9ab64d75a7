#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The second reader decodes every golden file and refuses every bad one, and the hex dumps in the format document are
# correct. Exits with 77 (skipped) without Python.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
golden=$root/tests/golden
command -v python3 >/dev/null || exit 77

for version in v1 v2; do
  python3 "$root/tools/read_bob.py" --check "$golden/decode/$version/manifest.txt"
done
python3 "$root/tools/read_bob.py" --refuse "$golden"/decode-errors/v?/*.bob
python3 "$root/tests/file/check_dump.py" "$root/docs/format.md" 11 "$golden/decode/v1/example.bob"
python3 "$root/tests/file/check_dump.py" "$root/docs/format.md" 12 "$golden/decode/v2/example.bob"
echo "the format document's hex dumps are true"
