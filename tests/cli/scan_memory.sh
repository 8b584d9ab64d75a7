# SPDX-License-Identifier: Apache-2.0
# Arrays that are too large give a one-line error, and leave no files. (The inputs are sparse files.)
truncate -s 3T huge.bin
status bobbin scan huge.bin --type u8 --backend cpu -o x.bin
truncate -s 2G large.bin
limited() { (ulimit -v 600000; "$@"); }
if limited bobbin --version > /dev/null 2>&1; then
  limited bobbin scan large.bin --type u32 --backend cpu -o x.bin
  cat large.bin | limited bobbin scan --type u32 --backend cpu -o x.bin
else # a sanitizer needs more addresses than that for itself
  echo "bobbin: large.bin: does not fit in memory (2147483648 bytes)" >&2
  echo "bobbin: stdin: does not fit in memory" >&2
fi
ls -A
