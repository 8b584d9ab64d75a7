// SPDX-License-Identifier: Apache-2.0
// Products of more than 32 bits, for host and device.
#pragma once

#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// The upper half of a product.
BOBBIN_HD uint64_t multiply_high(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

// a * b + c, which is one instruction on a GPU. (Its compiler makes two of the expression.)
BOBBIN_HD uint64_t multiply_add(uint32_t a, uint32_t b, uint64_t c) {
#ifdef __CUDA_ARCH__
  uint64_t sum;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(a), "r"(b), "l"(c));
  return sum;
#else
  return uint64_t{a} * b + c;
#endif
}

}  // namespace bobbin
