// SPDX-License-Identifier: Apache-2.0
// Dot products of bytes, for host and device: one instruction on a GPU.
#pragma once

#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// `sum` plus the products of the four unsigned bytes of `a` and `b`.
BOBBIN_HD uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t sum) {
#ifdef __CUDA_ARCH__
  return __dp4a(a, b, sum);
#else
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    sum += (a >> shift & 0xff) * (b >> shift & 0xff);
  }
  return sum;
#endif
}

}  // namespace bobbin
