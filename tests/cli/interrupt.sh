# SPDX-License-Identifier: Apache-2.0
# Ctrl-C during the work: no output, no temporary file, and the caller sees the signal.
make u8 1000 'i % 10' > a.bin
for signal in INT TERM; do
  mkfifo pipe
  # Like a foreground job: a background job ignores SIGINT.
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' bobbin compress pipe --type u8 -o out.bob &
  pid=$!
  exec 3<> pipe
  cat a.bin >&3
  for _ in {1..400}; do
    compgen -G '.bobbin-*' > seen.txt && break
    sleep 0.05
  done
  kill -$signal $pid
  wait $pid
  echo "status $?"
  exec 3>&-
  rm pipe
  ls -A
done
