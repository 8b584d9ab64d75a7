# SPDX-License-Identifier: Apache-2.0
# Without .bob at the end the output's name cannot be guessed.
make u32 100 i > a.bin
bobbin compress a.bin --type u32 -o data -q
status bobbin decompress data
status bobbin decompress data -o back.bin -q
cmp a.bin back.bin && ls
