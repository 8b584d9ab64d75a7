// SPDX-License-Identifier: Apache-2.0
// Selects bytes of words, in any order or with their sign, for host and device: one instruction on a GPU.
#pragma once

#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// Byte i of the result is byte `selectors >> 4 * i & 7` of the eight bytes of `low` and `high`. The fourth
// bit of each of the four selectors must be zero; the bits above them are ignored.
BOBBIN_HD uint32_t permute_bytes(uint32_t low, uint32_t high, uint32_t selectors) {
#ifdef __CUDA_ARCH__
  return __byte_perm(low, high, selectors);
#else
  const uint64_t bytes = uint64_t{high} << 32 | low;
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t from = selectors >> (4 * i) & 7;
    result |= static_cast<uint32_t>(bytes >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
#endif
}

// Byte i of a word, or half i, sign-extended. nvcc does not find the instruction itself.
BOBBIN_HD uint32_t signed_byte(uint32_t word, uint32_t i) {
#ifdef __CUDA_ARCH__
  uint32_t result;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(word), "r"(0x8880U + 0x1111U * i));
  return result;
#else
  return static_cast<uint32_t>(static_cast<int32_t>(word << (24 - 8 * i)) >> 24);
#endif
}
BOBBIN_HD uint32_t signed_half(uint32_t word, uint32_t i) {
#ifdef __CUDA_ARCH__
  uint32_t result;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(word), "r"(0x9910U + 0x2222U * i));
  return result;
#else
  return static_cast<uint32_t>(static_cast<int32_t>(word << (16 - 16 * i)) >> 16);
#endif
}

}  // namespace bobbin
