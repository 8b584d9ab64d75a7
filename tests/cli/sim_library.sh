# SPDX-License-Identifier: Apache-2.0
# Kernels of the library on the simulated machine; they need the emulator, like --backend emulator.
bobbin sim list | awk '$2 == "library" {print $1}'
small='--quick --set gpu.sms=4'
bobbin sim run dict-decode --design caba-bdi $small --json > a.json
bobbin sim run dict-decode --design caba-bdi $small --json | cmp - a.json && echo same bytes
bobbin sim run dict-decode --design caba-bdi $small --seed 2 --json | cmp -s - a.json || echo another seed, other bytes
# More arithmetic between the recorded operations: more instructions.
bobbin sim sweep dict-decode --design base --set record.alu=1,2 $small --json | python3 -c '
import json, sys
one, two = [run["result"]["counters"]["instructions"] for run in json.load(sys.stdin)]
print(two > one)'
status bobbin sim run dict-decod
status bobbin sim run dict-decode --set record.alu=0
