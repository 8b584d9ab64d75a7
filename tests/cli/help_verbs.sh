# SPDX-License-Identifier: Apache-2.0
# Every verb explains itself.
for verb in compress decompress inspect schema stats report verify cat grep query scan bench devices; do
  echo "$verb: $(bobbin $verb --help | grep -ciw usage)"
done
bobbin compress --help | grep -oE -- '--(type|utf8|output|force|codec|rows-per-group|backend|quiet|csv|delimiter|no-header|null|schema)' | sort -u
bobbin grep --help | grep -oE -- '--(equals|prefix|contains|column|count|backend)\b' | sort -u
bobbin scan --help | grep -oE -- '--(type|output|force|order|tuple|op|exclusive|scheme|backend|quiet)\b' | sort -u
bobbin query --help | grep -oE -- '--(where|agg|group|json|stats|backend)\b' | sort -u
bobbin cat --help | grep -oE -- '--(columns|where|rows|limit|delimiter|no-header|null|backend)\b' | sort -u
