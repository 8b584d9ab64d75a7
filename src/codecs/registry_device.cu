// SPDX-License-Identifier: Apache-2.0
// Codecs with small kernels, for the GPU and the emulator. They share a file because parsing the headers
// takes longer than compiling any of them.
#include "codecs/constant/kernels.hpp"
#include "codecs/device_ops.cuh"
#include "codecs/diff/kernels.hpp"
#include "codecs/masked/kernels.hpp"
#include "codecs/rle/kernels.hpp"
#include "codecs/sparse/kernels.hpp"
#include "codecs/zigzag/kernels.hpp"

BOBBIN_DEFINE_DEVICE_OPS(constant)
BOBBIN_DEFINE_DEVICE_OPS(diff)
BOBBIN_DEFINE_DEVICE_OPS(masked)
BOBBIN_DEFINE_DEVICE_OPS(rle)
BOBBIN_DEFINE_DEVICE_OPS(sparse)
BOBBIN_DEFINE_DEVICE_OPS(zigzag)
