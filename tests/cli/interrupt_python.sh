# SPDX-License-Identifier: Apache-2.0
# A signal to the command while Python converts a file: it is passed on, and the caller sees it.
printf '#!/bin/bash\ntrap "echo ended; exit 1" TERM\n: > started\nfor _ in {1..400}; do sleep 0.05; done\n' > python
chmod +x python
: > a.parquet
BOBBIN_PYTHON=./python bobbin compress a.parquet -o out.bob &
pid=$!
for _ in {1..400}; do
  [[ -e started ]] && break
  sleep 0.05
done
kill -TERM $pid
wait $pid
echo "status $?"
ls -A
