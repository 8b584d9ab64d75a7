// SPDX-License-Identifier: Apache-2.0
// Products that are one instruction on a GPU, for host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// The upper half of a product.
BOBBIN_HD uint32_t multiply_high_32(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  return __umulhi(a, b);
#else
  return static_cast<uint32_t>(uint64_t{a} * b >> 32);
#endif
}

// a * b + c, rounded once, to the nearest.
BOBBIN_HD double fused_multiply_add(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

}  // namespace bobbin
