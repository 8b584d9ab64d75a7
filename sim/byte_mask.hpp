// SPDX-License-Identifier: Apache-2.0
// Bytes of a line that a write has: most of them lie in a few runs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/line_codec.hpp"

namespace bobbin::sim {

inline constexpr uint32_t kMaskWords = kLineBytes / 64;
using MaskWords = std::array<uint64_t, kMaskWords>;

[[nodiscard]] inline MaskWords words_of(const ByteMask& mask) {
  static_assert(kMaskWords == 2);
  return {(mask & ByteMask(~0ULL)).to_ullong(), (mask >> 64).to_ullong()};
}

[[nodiscard]] inline ByteMask mask_of(const MaskWords& words) {
  return ByteMask(words[1]) << 64 | ByteMask(words[0]);
}

// Copies the bytes of a line whose bits are set.
inline void overlay(uint8_t* to, const uint8_t* from, const ByteMask& mask) {
  const MaskWords words = words_of(mask);
  for (uint32_t at = 0; at < kMaskWords; ++at) {
    for (uint64_t left = words[at]; left != 0;) {
      const int first = std::countr_zero(left);
      const int count = std::countr_one(left >> first);
      const uint32_t byte = 64 * at + static_cast<uint32_t>(first);
      std::memcpy(to + byte, from + byte, static_cast<size_t>(count));
      left &= count == 64 ? 0 : ~(((uint64_t{1} << count) - 1) << first);
    }
  }
}

}  // namespace bobbin::sim
