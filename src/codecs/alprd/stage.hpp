// SPDX-License-Identifier: Apache-2.0
// What alprd does to two parts of a value: left codes become left parts, and both parts are joined. Kernels
// that are compiled at run time include this header, so it needs nothing of the host.
//
// Formula: spec.md. Codes below eight, which are nearly all, are looked up in four registers, two at a time;
// others are searched for. A left part has at most 16 bits, so it affects only the upper 32 bits of a value.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/bits.hpp"
#include "core/permute_bytes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::alprd {

using simt::Quad;

inline constexpr uint32_t kMostEntries = 8;
inline constexpr uint32_t kMostLeftBits = 16;

// Where values are cut, and which left parts have codes.
struct Cut {
  uint32_t right_bits = 0;
  uint32_t entries = 0;
  uint16_t dict[kMostEntries] = {};

  // Maps a code to its left part, and a left part to its code: the mapping swaps pairs.
  [[nodiscard]] BOBBIN_HD constexpr uint32_t exchange(uint32_t code) const {
    if (code < entries) {
      return dict[code];
    }
    for (uint32_t j = 0; j < entries; ++j) {
      if (dict[j] == code) {
        return j;
      }
    }
    return code;
  }
  template <class Bits>
  [[nodiscard]] BOBBIN_HD constexpr Bits join(uint32_t code, Bits right) const {
    return static_cast<Bits>(static_cast<Bits>(exchange(code)) << right_bits |
                             (right & low_mask<Bits>(right_bits)));
  }
  template <class Bits>
  [[nodiscard]] BOBBIN_HD constexpr uint16_t left_code(Bits value) const {
    return static_cast<uint16_t>(exchange(static_cast<uint32_t>(value >> right_bits)));
  }
  template <class Bits>
  [[nodiscard]] BOBBIN_HD constexpr Bits right_part(Bits value) const {
    return static_cast<Bits>(value & low_mask<Bits>(right_bits));
  }
};

// A cut as kernels use it.
struct Joiner {
  Cut cut;
  uint32_t low[2];   // the lower bytes of the left parts of codes 0 .. 7
  uint32_t high[2];  // the upper bytes

  BOBBIN_HD static Joiner of(const Cut& cut) {
    Joiner joiner{.cut = cut, .low = {}, .high = {}};
    for (uint32_t code = 0; code < 8; ++code) {
      const uint32_t part = cut.exchange(code);
      joiner.low[code / 4] |= (part & 0xff) << (code % 4 * 8);
      joiner.high[code / 4] |= (part >> 8) << (code % 4 * 8);
    }
    return joiner;
  }

  [[nodiscard]] BOBBIN_HD uint32_t part_of(uint32_t code) const { return cut.exchange(code); }
  // The same for both codes of a word.
  [[nodiscard]] BOBBIN_HD uint32_t parts_of(uint32_t codes) const {
    if ((codes & 0xfff8fff8) != 0) {
      return part_of(codes & 0xffff) | part_of(codes >> 16) << 16;
    }
    const uint32_t selectors = codes | codes >> 12;
    const uint32_t lower = permute_bytes(low[0], low[1], selectors);
    const uint32_t upper = permute_bytes(high[0], high[1], selectors);
    return permute_bytes(lower, upper, 0x5140);
  }

  // As many left parts as there are values in 16 bytes.
  template <class T>
  using Parts = std::conditional_t<sizeof(T) == 8, uint32_t, uint64_t>;

  template <class T>
  [[nodiscard]] BOBBIN_HD Quad join(Parts<T> parts, Quad right) const {
    constexpr uint32_t kWords = sizeof(T) / sizeof(uint32_t);
    const uint32_t shift = cut.right_bits % 32;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < sizeof(Quad) / sizeof(T); ++i) {
      uint32_t& upper = right.word[i * kWords + kWords - 1];
      upper = static_cast<uint32_t>(parts >> (16 * i)) << shift | (upper & low_mask<uint32_t>(shift));
    }
    return right;
  }
};

}  // namespace bobbin::codec::alprd
