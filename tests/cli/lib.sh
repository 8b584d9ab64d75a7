# SPDX-License-Identifier: Apache-2.0
# Loaded before every case.
make() { python3 "$TOOL" make "$@"; }          # TYPE COUNT EXPRESSION: raw values on stdout
show() { python3 "$TOOL" show "$@"; }          # TYPE: raw values from stdin as text
flip() { python3 "$TOOL" flip "$@"; }          # FILE OFFSET: flips a bit
terminal() { python3 "$TOOL" terminal "$@"; }  # COMMAND...: runs it on a terminal
status() { "$@"; echo "status $?"; }           # runs a command and prints its exit status
