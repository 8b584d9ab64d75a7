// SPDX-License-Identifier: Apache-2.0
// Nulls of numeric columns: combines bits from parts, and fills in values for nulls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "bobbin/types.hpp"
#include "core/bit_ranges.hpp"

namespace bobbin::file {

// Borrowed validity bits: row i has a value if bit `first + i` is 1, counted from the lowest bit of each
// byte. A null pointer means that no row is null.
struct ValidityBits {
  const uint8_t* bits = nullptr;
  uint64_t first = 0;

  [[nodiscard]] bool is_null(uint64_t i) const {
    return bits != nullptr && (bits[(first + i) / 8] >> ((first + i) % 8) & 1) == 0;
  }
  [[nodiscard]] uint64_t count_nulls(uint64_t rows) const;
};
[[nodiscard]] inline ValidityBits bits_of(const array::Bitmap& validity) {
  return {reinterpret_cast<const uint8_t*>(validity.words.data()), validity.first};
}

// Calls f(i) for each null row, in order. Eight rows without nulls, which is the usual case, take one check.
template <class F>
void for_each_null(const ValidityBits& validity, uint64_t rows, F&& f) {
  if (validity.bits == nullptr) {
    return;
  }
  const auto look = [&](uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; ++i) {
      if (validity.is_null(i)) {
        f(i);
      }
    }
  };
  uint64_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    if (byte_at(validity.bits, validity.first + i) != 0xff) {
      look(i, i + 8);
    }
  }
  look(i, rows);
}

// Appends bits of `rows` rows to those of `before` rows. `to` stays empty as long as no part has bits.
void append_validity(std::vector<uint8_t>& to, uint64_t before, const ValidityBits& from, uint64_t rows);

// Writes bits of `rows` rows to `to`, starting at bit `at`; those bits must be zero before.
void copy_validity(std::span<uint8_t> to, uint64_t at, const ValidityBits& from, uint64_t rows);

// A null gets the previous value; before the first value, the first one; if there is no value, zero. So nulls
// cost a codec nothing, and the zone map of all values is that of the non-null ones.
void fill_nulls(DType type, std::span<std::byte> values, const ValidityBits& validity);

// A null gets zero.
void zero_nulls(DType type, std::span<std::byte> values, const ValidityBits& validity);

}  // namespace bobbin::file
