// SPDX-License-Identifier: Apache-2.0
// Decoded values of a chunk in host memory, for operations that do not work on encoded data. Strings of a
// dictionary are decoded once, and each row has the number of its entry: rows may have far more bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
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

// A dictionary whose strings have more bytes is not decoded as a whole.
inline constexpr uint64_t kMostEntryBytes = uint64_t{16} << 20;

// A dictionary's strings, or those of them that are needed.
class StringEntries {
 public:
  explicit StringEntries(Strings strings) : strings_(std::move(strings)) {}

  [[nodiscard]] uint64_t length() const { return strings_.length(); }
  [[nodiscard]] bool is_null(uint64_t entry) const { return strings_.view().is_null(entry); }
  [[nodiscard]] std::string_view text(uint64_t entry) const {
    const auto bytes = strings_.view().string(entry);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Each entry's place in their order: the same for equal strings, and the lowest for null. Made when it is
  // first asked for, by one thread at a time.
  [[nodiscard]] std::span<const uint32_t> ranks() const;

 private:
  Strings strings_;
  mutable std::vector<uint32_t> ranks_;
};

// Whether an array has a dictionary of strings.
[[nodiscard]] bool has_string_entries(const Array& array);
// The entry of each row of such an array.
[[nodiscard]] Result<std::vector<uint32_t>> decode_string_codes(const Array& array);
// The strings of an array's dictionary, if they are few enough to be decoded together; otherwise nothing.
[[nodiscard]] Result<std::shared_ptr<const StringEntries>> string_entries(const Array& array);

class DecodedColumn {
 public:
  // All rows, or those of the given indices, which ascend. `entries` may have all of the dictionary's
  // strings; otherwise those that the rows need are decoded.
  static Result<DecodedColumn> of(const Array& array, std::shared_ptr<const StringEntries> entries = {});
  static Result<DecodedColumn> of(const Array& array, std::span<const uint64_t> rows,
                                  std::shared_ptr<const StringEntries> entries = {});

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] uint64_t length() const { return length_; }
  [[nodiscard]] bool has_nulls() const { return is_string(type_) || !validity_.words.empty(); }
  [[nodiscard]] bool is_null(uint64_t row) const {
    return entries_ != nullptr ? entries_->is_null(codes_[row])
           : is_string(type_)  ? strings_.view().is_null(row)
                               : !validity_.words.empty() && !validity_.at(row);
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
    if (entries_ != nullptr) {
      return entries_->text(codes_[row]);
    }
    const auto bytes = strings_.view().string(row);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // For strings: the dictionary, and the entry of each row. Null if there is none.
  [[nodiscard]] const StringEntries* entries() const { return entries_.get(); }
  [[nodiscard]] uint32_t entry(uint64_t row) const { return codes_[row]; }
  [[nodiscard]] Value value(const Column& column, uint64_t row) const;

 private:
  // Once the codes are there.
  Result<DecodedColumn> with_entries(const Array& array, std::shared_ptr<const StringEntries> entries) &&;

  DType type_{};
  uint64_t length_ = 0;
  std::vector<std::byte> bytes_;
  array::Bitmap validity_;  // for numbers; empty if there are no nulls
  Strings strings_;         // without a dictionary
  std::shared_ptr<const StringEntries> entries_;
  std::vector<uint32_t> codes_;
};

// Negative, zero or positive if row a's value is below, equal to or above row b's: nulls sort below all, NaN
// above all; 0.0 and -0.0 are equal.
[[nodiscard]] int compare_values(const DecodedColumn& a, uint64_t row_a, const DecodedColumn& b,
                                 uint64_t row_b);
[[nodiscard]] int compare_values(const Value& a, const Value& b);

// The rows whose bits are set, of all or of begin .. end-1.
[[nodiscard]] std::vector<uint64_t> rows_of(std::span<const uint32_t> words);
[[nodiscard]] std::vector<uint64_t> rows_of(std::span<const uint32_t> words, uint64_t begin, uint64_t end);

// Rows that satisfy a test; nulls do not.
[[nodiscard]] BitmapWords matching_rows(const DecodedColumn& strings, const StringTests& tests);
[[nodiscard]] BitmapWords rows_in_set(const DecodedColumn& numbers, const KeySet& set);

}  // namespace bobbin::query
