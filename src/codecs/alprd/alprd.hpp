// SPDX-License-Identifier: Apache-2.0
// Floats split into a left part with few distinct values and a right part stored as is: see spec.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "codecs/alprd/stage.hpp"
#include "codecs/codec.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::alprd {

[[nodiscard]] inline Cut parse_cut(std::span<const uint8_t> metadata) {
  Cut cut{.right_bits = metadata[0], .entries = metadata[1], .dict = {}};
  std::memcpy(cut.dict, metadata.data() + 2, cut.entries * sizeof(uint16_t));
  return cut;
}
[[nodiscard]] inline std::vector<uint8_t> metadata_of(const Cut& cut) {
  std::vector<uint8_t> bytes{static_cast<uint8_t>(cut.right_bits), static_cast<uint8_t>(cut.entries)};
  bytes.resize(2 + cut.entries * sizeof(uint16_t));
  std::memcpy(bytes.data() + 2, cut.dict, cut.entries * sizeof(uint16_t));
  return bytes;
}

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
