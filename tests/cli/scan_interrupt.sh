# SPDX-License-Identifier: Apache-2.0
# Ctrl-C while input is still being read: no output, no temporary file, and the caller sees the signal.
make u8 1000 'i % 10' > a.bin
interrupt INT bobbin scan pipe --type u8 -o out.bin
