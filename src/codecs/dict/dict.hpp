// SPDX-License-Identifier: Apache-2.0
// Repeated values, numbers or strings, stored as codes for dictionary entries: see spec.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"

namespace bobbin::codec::dict {

// Largest dictionaries that are built. With 2^20 numbers, codes are 20 bits wide, about as wide as packed
// values, and the dictionary has at most 8 MiB, which still fits a GPU's cache. Strings are many times larger
// and slow to sort: 2^16 of them need 16-bit codes.
inline constexpr uint64_t kMaxEntries = uint64_t{1} << 20;
inline constexpr uint64_t kMaxStrings = uint64_t{1} << 16;

[[nodiscard]] inline const Array& codes_of(const Array& array) {
  return array.children[0];
}
[[nodiscard]] inline const Array& dictionary_of(const Array& array) {
  return array.children[1];
}

// The smallest type for codes of this many entries.
[[nodiscard]] constexpr DType code_type(uint64_t entries) {
  return entries <= 256 ? DType::u8 : entries <= 65536 ? DType::u16 : DType::u32;
}

// Calls f with std::type_identity of the codes' type.
template <class F>
decltype(auto) visit_codes(DType type, F&& f) {
  switch (type) {
    case DType::u8:
      return std::forward<F>(f)(std::type_identity<uint8_t>{});
    case DType::u16:
      return std::forward<F>(f)(std::type_identity<uint16_t>{});
    default:
      return std::forward<F>(f)(std::type_identity<uint32_t>{});
  }
}

// The last code with an entry of its own; greater codes mean the same entry. There is at least one entry.
template <class Code>
[[nodiscard]] constexpr Code last_code(uint64_t entries) {
  return static_cast<Code>(std::min<uint64_t>(entries - 1, std::numeric_limits<Code>::max()));
}

// Whether there are so few rows that looking up single entries is faster than decoding the dictionary. A
// look-up may decode a vector of entries (1024), or only unpack one value.
[[nodiscard]] constexpr bool is_few(uint64_t rows, uint64_t entries) {
  return entries / 256 > rows;
}

// Builds codes and dictionary as spec.md says the writer does; nothing if there are more than `max_entries`
// different values. It stops as soon as there is one too many.
[[nodiscard]] std::optional<Split> build(const Values& values, uint64_t max_entries);

// The codes of entries that pass. Greater codes count as the last one. There is at least one entry.
struct CodeSet {
  std::vector<uint8_t> passes;      // 1 or 0 per entry
  std::optional<ValueRange> range;  // the same as a range of codes, if it is one

  [[nodiscard]] static CodeSet of(std::vector<uint8_t> passes, DType codes);
  // Entries in one of several ranges.
  [[nodiscard]] static CodeSet of(const Values& entries, DType codes, std::span<const ValueRange> ranges);
  // For entries that are codes themselves; `passes` applies to those.
  [[nodiscard]] static CodeSet of(const Values& entries, DType codes, const std::vector<uint8_t>& passes);
};
[[nodiscard]] CodeSet code_set(const Array& array, std::span<const ValueRange> ranges);

}  // namespace bobbin::codec::dict
