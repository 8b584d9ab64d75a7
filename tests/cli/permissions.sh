# SPDX-License-Identifier: Apache-2.0
# Nobody can read an output who cannot read its input, whatever the verb and the umask.
umask 022
printf 'a,b\n1,x\n2,y\n' > s.csv
make u32 100 i > s.bin
modes() { stat -c '%a %n' "$@"; }
chmod 600 s.csv s.bin
bobbin compress -q s.csv
bobbin compress -q s.bin --type u32
bobbin compress -q s.csv --type lines -o lines.bob
bobbin compress -q < s.csv --csv -o stdin.bob
bobbin zstd -q s.csv
bobbin scan -q s.bin --type u32 -o scan.bin
for i in $(seq 300); do echo "{\"item\": $((i * 7919 % 1000)), \"colour\": \"green $((i % 17))\"}"; done > s.json
chmod 600 s.json
bobbin zstd -q --train --lines s.json -o s.dict --max-size 2048
for format in csv json ndjson; do bobbin decompress -q s.csv.bob -o "back.$format"; done
bobbin decompress -q s.bin.bob -o back.bin
bobbin zstd -q -d s.csv.zst -o back.zst.csv
bobbin report -q --no-peers s.csv.bob -o report.html
modes s.csv.bob s.bin.bob lines.bob stdin.bob s.csv.zst scan.bin back.* report.html s.dict
# Several inputs all count. What comes through a pipe has no owner: the umask decides.
printf 'a,b\n3,z\n' > open.csv
bobbin compress -q open.csv s.csv -o two.bob
bobbin compress -q open.csv -o one.bob
cat s.csv | bobbin compress -q --csv -o pipe.bob
bobbin decompress -q one.bob -o one.csv
modes two.bob one.bob pipe.bob one.csv
(umask 077 && bobbin compress -q open.csv -o strict.bob)
modes strict.bob
# A file that is replaced keeps its permissions, as far as the input allows.
chmod 640 one.bob
bobbin compress -q -f open.csv -o one.bob
modes one.bob
chmod 664 one.bob
bobbin compress -q -f open.csv -o one.bob
modes one.bob
bobbin compress -q -f s.csv -o one.bob
modes one.bob
# While it is written, only its owner can read a file.
mkfifo pipe
bobbin compress pipe --csv --schema 'a:i64,b:utf8' -q -o slow.bob &
exec 3> pipe
printf 'a,b\n' >&3
for i in $(seq 100000); do echo "$i,z"; done >&3
for _ in {1..400}; do
  compgen -G '.bobbin-*' > seen.txt && break
  sleep 0.05
done
stat -c %a "$(cat seen.txt)"
exec 3>&-
wait
modes slow.bob
