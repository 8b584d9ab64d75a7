# SPDX-License-Identifier: Apache-2.0
export CUDA_VISIBLE_DEVICES=
bobbin devices
bobbin devices --json | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin)))'
