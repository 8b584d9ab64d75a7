# SPDX-License-Identifier: Apache-2.0
# 8000 rows of one string of a million bytes, in 581 bytes: whatever is asked, memory stays bounded.
base64 -d > long.bob <<'END'
iUJPQg0KGgoCAAAAAAAAAAEFdmFsdWUMAQtib2JiaW4uZm9ybQdzdHJpbmdzAcA+AEBhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh
YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhQAFigKDZ5h0VjAAXgQgAAAAAAAAAABIDAQhAHwAAAAAAAAIR
AQEAAh58AwEjEAEBQEIPAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACCBIoBAgZTAgIBAQoFNwMACgoCYAD/VQAACGEBVAEC
M/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAI
YQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA
/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz/H8CYAD/VQAACGEBVAECM/x/AmAA/1UAAAhhAVQBAjP8fwJgAP9VAAAIYQFUAQIz
/H8CYEBBVQAACGEBVAECMjwCAQAAAAAQAAAAIAAAADAAAABAAAAAUAAAAGAAAABwAAAAgAAAAJAAAACgAAAAsAAAAMAAAADQAAAA
4AAAAPAAAAAAAQAAwL3w/0BCDwAAAAAAFQIAAAAAAACxiqKsZOU5YgIAAAAAAAAAiUJPQg0KGgo=
END
ask() { python3 "$TOOL" within 64 24 bobbin "$@"; }
bobbin verify long.bob
ask query long.bob --agg 'min(value)' --csv
ask query long.bob --agg 'max(value),count(distinct value),count(value)' --csv
ask query long.bob --group value --agg 'count(),min(value),count(distinct value)' --json
ask query long.bob --select value --order value --limit 3 --csv
ask query long.bob --select value --order 'value desc' --limit 3
ask query long.bob --select value --limit 100 --csv
ask query long.bob --select value --where "value ilike 'AAA%'" --limit 3 --csv
ask query long.bob --where "value ilike '%B%' or value < 'b' or value in ('a', 'b')"
ask query long.bob --where 'value = value' --agg 'count(),max(value)' --csv
ask grep -c a long.bob
ask grep -ci A long.bob
ask grep --prefix b long.bob
ask head long.bob
ask cat long.bob --rows 0:100 --format csv
ask cat long.bob --rows 0:100 --format table
ask cat long.bob --rows 0:100 --format json
ask cat long.bob --where "value like 'a%'" -n 100
ask decompress long.bob -o - --rows 0:200 --as lines
ask decompress long.bob -o - --rows 0:200 --format ndjson
ask inspect --why long.bob
ask report long.bob -o long.html -q
ask verify long.bob
