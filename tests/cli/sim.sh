# SPDX-License-Identifier: Apache-2.0
# The simulator: its list of workloads, a run that gives the same bytes every time, a sweep, a timeline.
bobbin sim list --json > list.json
python3 - <<'EOF'
import json
workloads = json.load(open("list.json"))
names = [workload["name"] for workload in workloads]
assert len(set(names)) == len(names) and "random-stream" in names
assert {workload["class"] for workload in workloads} <= {"memory", "compute", "incompressible", "library"}
assert all(workload["represents"] and workload["description"] for workload in workloads)
EOF
bobbin sim list | grep -c '^random-stream  *incompressible  *control '
small='--quick --set gpu.sms=2'
bobbin sim run random-stream --design caba-bdi $small --json > a.json
bobbin sim run random-stream --design caba-bdi $small --json > b.json
cmp a.json b.json && echo same bytes
bobbin sim run random-stream --design caba-bdi $small --seed 2 --json | cmp -s - a.json || echo another seed, other bytes
python3 -c '
import json
run = json.load(open("a.json"))
counters = run["counters"]
assert run["ipc"] > 0 and abs(run["ipc"] - counters["instructions"] / counters["core_cycles"]) < 1e-6
energy = run["energy_joules"]
assert abs(sum(energy.values()) - 2 * energy["total"]) < 1e-9
print(run["workload"], run["design"], run["quick"], run["sms"])'
bobbin sim run random-stream $small | awk '{print $1}' | head -4
# All combinations, in a fixed order.
bobbin sim sweep random-stream --design base,ideal-bdi --set gpu.sms=1,2 --set l1.ways=2,4 --quick -j 3 | awk '{print $1, $2, $3, $4}'
bobbin sim sweep random-stream --design base --set gpu.sms=2 --quick --json | python3 -c '
import json, sys
sweep = json.load(sys.stdin)
print(len(sweep), sweep[0]["settings"], sweep[0]["speedup"], sweep[0]["result"]["design"])'
# A timeline is one page.
bobbin sim run random-stream $small --timeline t.html --first-cycle 500 --cycles 100 > /dev/null
grep -c '</html>' t.html
status bobbin sim run random-stream $small --timeline t.html
status bobbin sim run random-stream $small --timeline u.html --sm 2
status bobbin sim run random-stream $small --timeline u.html --first-cycle 4000000000
ls *.html
# What workloads are like is measured: random words do not compress.
bobbin sim list --measure | awk '$1 == "random-stream" {print $3, $4, $5, $6}'
