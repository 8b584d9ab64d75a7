# SPDX-License-Identifier: Apache-2.0
# The GPU kernels, emulated, write the same file and read it.
make i32 3000 'i % 700 - 350' > a.bin
bobbin compress a.bin --type i32 --backend cpu -o cpu.bob -q
bobbin compress a.bin --type i32 --backend emulator -o emulator.bob -q
cmp cpu.bob emulator.bob && echo the same file
bobbin decompress cpu.bob --backend emulator -o - | cmp - a.bin && echo the same bytes
bobbin verify --backend emulator cpu.bob
