// SPDX-License-Identifier: Apache-2.0
// The codec's kernels, for the GPU and for the emulator.
#include "codecs/bitpack/kernels.hpp"
#include "codecs/device_ops.cuh"

BOBBIN_DEFINE_DEVICE_OPS(bitpack)
