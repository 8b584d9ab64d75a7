# SPDX-License-Identifier: Apache-2.0
# Ctrl-C during the work: no output, no temporary file, and the caller sees the signal.
make u8 1000 'i % 10' > a.bin
for signal in INT TERM; do
  interrupt $signal bobbin compress pipe --type u8 -o out.bob
  interrupt $signal bobbin zstd pipe -o out.zst
done
# Some programs send a signal twice.
twice=1 interrupt TERM bobbin compress pipe --type u8 -o out.bob
