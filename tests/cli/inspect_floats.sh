# SPDX-License-Identifier: Apache-2.0
# Zone maps of floats: shortest decimals, both zeros, infinities; a chunk with NaN has the widest range.
zones() { bobbin inspect "$1" --row-groups | grep min; }
make f32 6 '[0.1, -2.5, 1e-40, 3e38, 0.0, -0.0][i]' > a.bin
make f64 6 '[0.1, -1e300, 5e-324, 1/3, 7.0, float("inf")][i]' > b.bin
make f64 4 '[1.5, float("nan"), -1.5, 2.5][i]' > nan.bin
bobbin compress a.bin --type f32 --rows-per-group 2 -o a.bob -q
bobbin compress b.bin --type f64 --rows-per-group 2 -o b.bob -q
bobbin compress nan.bin --type f64 --rows-per-group 2 -o nan.bob -q
for name in a b nan; do
  echo $name
  zones $name.bob
  bobbin inspect $name.bob --json | python3 -c 'import json, sys
for group in json.load(sys.stdin)["row_groups"]:
    for chunk in group["chunks"]:
        print(repr(chunk["min"]), repr(chunk["max"]))'
  bobbin decompress $name.bob -o - | cmp - $name.bin && bobbin verify $name.bob -q && echo the same
done
