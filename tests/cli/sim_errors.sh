# SPDX-License-Identifier: Apache-2.0
# Wrong names and impossible machines: one line each, with the nearest name.
status bobbin sim
status bobbin sim rnu x
status bobbin sim run
status bobbin sim run randon-stream
status bobbin sim run xyz
status bobbin sim run random-stream --design caba
status bobbin sim run random-stream --set dram.chanels=3
status bobbin sim run random-stream --set dram.banks=0
status bobbin sim run random-stream --set dram.banks=3
status bobbin sim run random-stream --set l1.ways=3
status bobbin sim run random-stream --set gpu.sms
status bobbin sim run random-stream --set sm.policy=fifo
status bobbin sim run random-stream --config missing.conf
printf 'gpu.sms = 2\ngpu.sm = 3\n' > bad.conf
status bobbin sim run random-stream --config bad.conf
status bobbin sim run random-stream --seed -1
status bobbin sim sweep random-stream --design base,hw-bid
status bobbin sim sweep random-stream --set gpu.sms=2,none
status bobbin sim sweep random-stream --set l1.ways=2,3 --quick
status bobbin sim sweep random-stream nothing
status bobbin sim paper -o -
status bobbin sim paper --quick -q -o new.json --times missing/times.csv
rm new.json.part
# Damaged results.
status bobbin sim report missing.json -o r.html
printf '{"format": "bobbin sim results", "version": 2' > cut.json
status bobbin sim report cut.json -o r.html
status bobbin sim paper -o cut.json --quick -q
printf '{"format": "bobbin sim results", "version": 2, "build": "x", "quick": true, "seed": 1, "config": ""}' > no_runs.json
status bobbin sim report no_runs.json -o r.html
printf '{"format": "bobbin sim results", "version": 2, "build": "x", "quick": true, "seed": 1, "config": "", "runs": [{"settings": "", "result": {"workload": "a"}}], "failures": []}' > bad_run.json
status bobbin sim report bad_run.json -o r.html
printf '{"format": "bobbin sim results", "version": 2, "build": "x", "quick": true, "seed": 1, "config": "", "runs": [], "failures": []}' > empty.json
status bobbin sim report empty.json -o r.html
status bobbin sim paper -o empty.json --quick -q
status bobbin sim report empty.json -o r.html
ls
