# SPDX-License-Identifier: Apache-2.0
# The emulator runs the GPU's kernels for .zst files: the same content, the same errors.
make u16 40000 '(i * 7) % 1000' > values.bin
bobbin zstd -q --frame-size 10000 values.bin
bobbin zstd -d --backend emulator -c values.bin.zst | cmp - values.bin && echo the same content
bobbin zstd -q --frame-size 10000 --backend emulator -c values.bin | cmp - values.bin.zst && echo the same frames
cp values.bin.zst bad.zst
flip bad.zst 3000
status bobbin zstd -t --backend emulator bad.zst values.bin.zst
status bobbin zstd -t --backend cpu bad.zst values.bin.zst
status bobbin zstd -t --backend gpu values.bin.zst
