# SPDX-License-Identifier: Apache-2.0
# What prints the first rows reads no more of the text than it needs: not even what is wrong after them.
{ echo a,b; yes 1,2 | head -2000000; echo 1,2,3; } > t.csv
bobbin head -2 t.csv
bobbin cat -n 1 t.csv
bobbin cat --rows 4:5 t.csv
{ echo a,b; yes 1,2; } | bobbin head -1
status bobbin query t.csv
# On a terminal, too.
terminal env NO_COLOR=1 bobbin cat t.csv | tail -2
