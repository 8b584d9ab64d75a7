// SPDX-License-Identifier: Apache-2.0
// Small numbers for values, in the order in which they are first seen: used to distinguish groups.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bobbin/query.hpp"
#include "query/selected_rows.hpp"

namespace bobbin::query {

// For 64-bit keys; starting from 0.
class KeyIds {
 public:
  KeyIds() : slots_(64) {}

  // Adds a new key.
  uint32_t id_of(uint64_t key);
  [[nodiscard]] size_t size() const { return keys_.size(); }
  [[nodiscard]] uint64_t key(uint32_t id) const { return keys_[id]; }

 private:
  [[nodiscard]] size_t find_slot(uint64_t key) const;
  void grow();

  std::vector<uint64_t> keys_;
  std::vector<uint32_t> slots_;  // id + 1, or 0 if empty; the size is a power of two, at most half full
};

// For values of a column: 0 is null. 0.0 and -0.0 are one value, and so are all NaNs.
class ValueIds {
 public:
  static constexpr uint32_t kNull = 0;

  explicit ValueIds(Column column) : column_(std::move(column)) {}

  uint32_t id_of(Scalar value);
  uint32_t id_of(std::string_view text);
  uint32_t id_at(const DecodedColumn& values, uint64_t row);
  // The number of values so far, including null.
  [[nodiscard]] size_t size() const { return 1 + numbers_.size() + texts_.size(); }
  [[nodiscard]] Value value(uint32_t id) const;

  // One id per selected row.
  Result<std::vector<uint32_t>> ids_of(SelectedRows& rows, uint32_t column);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  // By the codes of a chunk with a dictionary: each entry is looked up once.
  Result<std::vector<uint32_t>> ids_of_codes(SelectedRows& rows, const Array& array);
  Result<std::vector<uint32_t>> ids_of_strings(SelectedRows& rows, uint32_t column);

  Column column_;
  KeyIds numbers_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> strings_;
  std::vector<const std::string*> texts_;  // keys of `strings_`, by id
};

}  // namespace bobbin::query
