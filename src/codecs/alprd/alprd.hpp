// SPDX-License-Identifier: Apache-2.0
// Floats split into a left part with few distinct values and a right part stored as is: see spec.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "codecs/codec.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::alprd {

inline constexpr uint32_t kMostEntries = 8;
inline constexpr uint32_t kMostLeftBits = 16;

// Where values are cut, and which left parts have codes.
struct Cut {
  uint32_t right_bits = 0;
  uint32_t entries = 0;
  uint16_t dict[kMostEntries] = {};

  static Cut parse(std::span<const uint8_t> metadata) {
    Cut cut{.right_bits = metadata[0], .entries = metadata[1], .dict = {}};
    std::memcpy(cut.dict, metadata.data() + 2, cut.entries * sizeof(uint16_t));
    return cut;
  }
  [[nodiscard]] std::vector<uint8_t> metadata() const {
    std::vector<uint8_t> bytes{static_cast<uint8_t>(right_bits), static_cast<uint8_t>(entries)};
    bytes.resize(2 + entries * sizeof(uint16_t));
    std::memcpy(bytes.data() + 2, dict, entries * sizeof(uint16_t));
    return bytes;
  }

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

// The cut is chosen from a sample: every `sample_stride`th value.
inline constexpr uint64_t kSample = 4096;
[[nodiscard]] constexpr uint64_t sample_stride(uint64_t values) {
  return values < kSample ? 1 : values / kSample;
}
// T is the unsigned integer of the floats' size.
template <class T>
[[nodiscard]] Cut choose_cut(std::span<const T> sample);

// Calls f with the unsigned integer type of a float's size.
template <class F>
decltype(auto) visit_size(DType type, F&& f) {
  return type == DType::f64 ? f(std::type_identity<uint64_t>{}) : f(std::type_identity<uint32_t>{});
}

}  // namespace bobbin::codec::alprd
