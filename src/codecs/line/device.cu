// SPDX-License-Identifier: Apache-2.0
// The codec's kernels, for the GPU and for the emulator.
#include "codecs/device_ops.cuh"
#include "codecs/line/kernels.hpp"

BOBBIN_DEFINE_DEVICE_OPS(line)
