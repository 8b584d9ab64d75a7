# SPDX-License-Identifier: Apache-2.0
# kill -9 while a table is being replaced: the old file stays intact.
printf 'a,b\n1,x\n2,y\n' > old.csv
bobbin compress old.csv -q -o t.bob
cp t.bob old.bob
mkfifo pipe
bobbin compress pipe --csv --schema 'a:i64,b:utf8' --rows-per-group 1000 -f -q -o t.bob &
pid=$!
exec 3> pipe
echo 'a,b' >&3
seq 100000 | sed 's/$/,z/' >&3
for _ in {1..400}; do
  compgen -G '.bobbin-*' > /dev/null && break
  sleep 0.05
done
kill -9 $pid
wait $pid 2> /dev/null
echo "status $?"
left=$(compgen -G ".bobbin-*")
exec 3>&-
cmp t.bob old.bob && bobbin verify t.bob
# What was written so far is next to it, under a name that does not look like a table. The next writer removes it,
# but not what a living one writes, nor what only has such a name.
ls -A | grep -c '^\.bobbin-'
bobbin compress pipe --csv --schema 'a:i64,b:utf8' --rows-per-group 1000 -f -q -o living.bob &
living=$!
exec 3> pipe
echo 'a,b' >&3
seq 100000 | sed 's/$/,z/' >&3
for _ in {1..400}; do
  (($(ls -A | grep -c '^\.bobbin-') == 1)) && [[ $(compgen -G '.bobbin-*') != "$left" ]] && break
  sleep 0.05
done
touch .bobbin-mine.tmp
bobbin compress old.csv -f -q -o other.bob
ls -A | grep -c '^\.bobbin-'
exec 3>&-
wait $living
ls -A
rm .bobbin-mine.tmp
