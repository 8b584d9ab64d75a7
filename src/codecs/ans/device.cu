// SPDX-License-Identifier: Apache-2.0
#include "codecs/ans/kernels.hpp"
#include "codecs/device_ops.cuh"

BOBBIN_DEFINE_DEVICE_OPS(ans)
