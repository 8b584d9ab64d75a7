# SPDX-License-Identifier: Apache-2.0
# Requesting a GPU that is not available is an error; "auto" does not need one.
export CUDA_VISIBLE_DEVICES=
make u8 100 i > a.bin
status bobbin compress a.bin --type u8 --backend cuda
status bobbin compress a.bin --type u8 --backend auto -q
status bobbin decompress a.bin.bob --backend cuda -o b.bin
status bobbin verify --backend cuda a.bin.bob
ls
