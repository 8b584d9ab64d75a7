# SPDX-License-Identifier: Apache-2.0
# A GPU that is asked for and not there is an error; "auto" does without.
export CUDA_VISIBLE_DEVICES=
make u8 100 i > a.bin
status bobbin compress a.bin --type u8 --backend cuda
status bobbin compress a.bin --type u8 --backend auto -q
status bobbin decompress a.bin.bob --backend cuda -o b.bin
status bobbin verify --backend cuda a.bin.bob
ls
