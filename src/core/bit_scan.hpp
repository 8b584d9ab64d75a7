// SPDX-License-Identifier: Apache-2.0
// Positions and numbers of bits, for host and device. (nvcc compiles std::countr_zero for the device without
// a word, to a constant.)
#pragma once

#include <bit>
#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// Zero bits above the highest one; 32 for 0.
BOBBIN_HD uint32_t leading_zeros(uint32_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__clz(static_cast<int>(value)));
#else
  return static_cast<uint32_t>(std::countl_zero(value));
#endif
}

// Zero bits below the lowest one; 32 for 0.
BOBBIN_HD uint32_t trailing_zeros(uint32_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__clz(static_cast<int>(__brev(value))));
#else
  return static_cast<uint32_t>(std::countr_zero(value));
#endif
}

// How many bits are one.
BOBBIN_HD uint32_t count_ones(uint32_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__popc(static_cast<int>(value)));
#else
  return static_cast<uint32_t>(std::popcount(value));
#endif
}

}  // namespace bobbin
