# SPDX-License-Identifier: Apache-2.0
# Loaded before every case.
make() { python3 "$TOOL" make "$@"; }          # TYPE COUNT EXPRESSION: raw values on stdout
show() { python3 "$TOOL" show "$@"; }          # TYPE: raw values from stdin as text
flip() { python3 "$TOOL" flip "$@"; }          # FILE OFFSET: flips a bit
terminal() { python3 "$TOOL" terminal "$@"; }  # COMMAND...: runs it on a terminal
status() { "$@"; echo "status $?"; }           # runs a command and prints its exit status
# interrupt SIGNAL COMMAND...: the command reads "pipe", which gets a.bin but no end, and the signal arrives once it has
# begun its output. Prints its status and the files that are left.
interrupt() {
  mkfifo pipe
  # Like a foreground job: a background job ignores SIGINT.
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "${@:2}" &
  local pid=$!
  exec 3<> pipe
  cat a.bin >&3
  for _ in {1..400}; do
    compgen -G '.bobbin-*' > seen.txt && break
    sleep 0.05
  done
  kill "-$1" $pid
  [[ -n ${twice:-} ]] && kill "-$1" $pid 2> seen.txt
  wait $pid
  echo "status $?"
  exec 3>&-
  rm pipe
  ls -A
}
