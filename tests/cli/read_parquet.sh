# SPDX-License-Identifier: Apache-2.0
# Parquet and Arrow are read by the Python package: here a script that gets names that it knows.
{ echo 'id,city'; echo 1,Oslo; echo 2,Bergen; } > t.csv
bobbin compress t.csv -q -o t.bob
printf '#!/bin/bash\nshift 4\n[[ $1 == *table.parquet ]] && echo "named" >&2\n[[ -r $1 ]] && cp t.bob "$2"\n' > python
chmod +x python
export BOBBIN_PYTHON=./python
printf 'PAR1\25\4\25PAR1' > t.parquet
cp t.parquet flights
bobbin query t.parquet --group city
bobbin head flights
cat flights | bobbin schema -
bobbin verify t.parquet
status bobbin query flights --delimiter ';'
printf '#!/bin/bash\necho "bobbin: it is damaged" >&2\nexit 1\n' > python
status bobbin query t.parquet
BOBBIN_PYTHON=./nothing status bobbin query t.parquet
