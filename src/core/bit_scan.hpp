// SPDX-License-Identifier: Apache-2.0
// Bit positions and bit counts, for host and device. (nvcc silently compiles std::countr_zero for the device
// to a constant.)
#pragma once

#include <bit>
#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// The number of zero bits above the highest set bit; 32 for 0.
BOBBIN_HD uint32_t leading_zeros(uint32_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__clz(static_cast<int>(value)));
#else
  return static_cast<uint32_t>(std::countl_zero(value));
#endif
}

// A value shifted right; 0 for counts from 64 on. nvcc would otherwise test for them.
BOBBIN_HD uint64_t shift_right(uint64_t value, uint32_t count) {
#ifdef __CUDA_ARCH__
  uint64_t result;
  asm("shr.u64 %0, %1, %2;" : "=l"(result) : "l"(value), "r"(count));
  return result;
#else
  return count < 64 ? value >> count : 0;
#endif
}

// The number of zero bits below the lowest set bit; 32 for 0.
BOBBIN_HD uint32_t trailing_zeros(uint32_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__clz(static_cast<int>(__brev(value))));
#else
  return static_cast<uint32_t>(std::countr_zero(value));
#endif
}

// The number of set bits.
BOBBIN_HD uint32_t count_ones(uint32_t value) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__popc(static_cast<int>(value)));
#else
  return static_cast<uint32_t>(std::popcount(value));
#endif
}

// The upper half of `high` and `low` shifted left by the lowest 5 bits of `count`.
BOBBIN_HD uint32_t shift_left(uint32_t high, uint32_t low, uint32_t count) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(low, high, count);
#else
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) << (count % 32) >> 32);
#endif
}

}  // namespace bobbin
