# SPDX-License-Identifier: Apache-2.0
# The first rows, the last rows, and how much is printed on a terminal.
{ echo n,square; for i in $(seq 0 99); do echo "$i,$((i * i))"; done; } > t.csv
bobbin compress t.csv -q -o t.bob
bobbin head t.bob
bobbin head -3 t.bob
bobbin head t.bob -n 2 --format table
bobbin cat t.bob -n 1
bobbin cat t.bob --rows -2:
bobbin cat t.bob --rows -2:-1 --format json
bobbin cat t.bob --rows :-99
bobbin cat t.bob --rows -1000:1
status bobbin cat t.bob --rows -1:-2
status bobbin cat t.bob --rows 99:-2
status bobbin cat t.bob --rows -:
status bobbin head t.bob -n -1
# On a terminal: a table of 40 rows, or of those requested.
terminal env NO_COLOR=1 bobbin cat t.bob | sed -n '1,2p;41,$p'
terminal env NO_COLOR=1 bobbin cat t.bob --rows :2
terminal env NO_COLOR= TERM=xterm bobbin cat t.bob --rows :1 | cat -v
# Wide columns are truncated, and columns without room are counted.
{ printf 'a,b'; for i in $(seq 1 30); do printf ',column%s' "$i"; done; echo
  printf '%0150d,x' 1; for i in $(seq 1 30); do printf ',%s' "$i"; done; echo; } > wide.csv
bobbin compress wide.csv -q -o wide.bob
terminal env NO_COLOR=1 bobbin cat wide.bob
terminal env NO_COLOR=1 bobbin cat wide.bob --columns a
