// SPDX-License-Identifier: Apache-2.0
// Decoded values of a chunk in host memory, for operations that do not work on encoded data.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "array/array.hpp"
#include "bobbin/query.hpp"
#include "bobbin/strings.hpp"
#include "core/bit_ranges.hpp"
#include "query/key_set.hpp"
#include "query/string_tests.hpp"

namespace bobbin::query {

class DecodedColumn {
 public:
  // All rows, or those of the given indices, which ascend.
  static Result<DecodedColumn> of(const Array& array);
  static Result<DecodedColumn> of(const Array& array, std::span<const uint64_t> rows);

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] uint64_t length() const { return length_; }
  [[nodiscard]] bool has_nulls() const { return is_string(type_) || !validity_.words.empty(); }
  [[nodiscard]] bool is_null(uint64_t row) const {
    return is_string(type_) ? strings_.view().is_null(row) : !validity_.words.empty() && !validity_.at(row);
  }
  // For numbers.
  template <class T>
  [[nodiscard]] T number(uint64_t row) const {
    T value;
    std::memcpy(&value, bytes_.data() + row * sizeof(T), sizeof(T));
    return value;
  }
  [[nodiscard]] Scalar scalar(uint64_t row) const {
    Scalar scalar;
    std::memcpy(&scalar.bits, bytes_.data() + row * size_bytes(type_), size_bytes(type_));
    return scalar;
  }
  // For strings.
  [[nodiscard]] std::string_view text(uint64_t row) const {
    const auto bytes = strings_.view().string(row);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] Value value(const Column& column, uint64_t row) const;

 private:
  DType type_{};
  uint64_t length_ = 0;
  std::vector<std::byte> bytes_;
  array::Bitmap validity_;  // for numbers; empty if there are no nulls
  Strings strings_;
};

// Negative, zero or positive if row a's value is below, equal to or above row b's: nulls sort below all, NaN
// above all; 0.0 and -0.0 are equal.
[[nodiscard]] int compare_values(const DecodedColumn& a, uint64_t row_a, const DecodedColumn& b,
                                 uint64_t row_b);
[[nodiscard]] int compare_values(const Value& a, const Value& b);

// The rows whose bits are set.
[[nodiscard]] std::vector<uint64_t> rows_of(std::span<const uint32_t> words);

// Rows that satisfy a test; nulls do not.
[[nodiscard]] BitmapWords matching_rows(const DecodedColumn& strings, const StringTests& tests);
[[nodiscard]] BitmapWords rows_in_set(const DecodedColumn& numbers, const KeySet& set);

}  // namespace bobbin::query
