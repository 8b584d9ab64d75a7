// SPDX-License-Identifier: Apache-2.0
// Rows of a table by columns, not owned.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bobbin/file.hpp"
#include "file/append.hpp"

namespace bobbin::csv {

struct ColumnData {
  ColumnType type;
  NullableView numbers;  // unless they are strings
  StringsView strings;

  [[nodiscard]] bool has_nulls() const {
    return (is_string(type.type) ? strings.validity : numbers.validity) != nullptr;
  }
  [[nodiscard]] bool is_null(uint64_t row) const {
    if (is_string(type.type)) {
      return strings.is_null(row);
    }
    return numbers.validity != nullptr && (numbers.validity[row / 8] >> (row % 8) & 1) == 0;
  }
  [[nodiscard]] std::string_view string(uint64_t row) const {
    const std::span<const uint8_t> bytes = strings.string(row);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] Scalar number(uint64_t row) const { return scalar_at(type.type, numbers.values, row); }
};

struct RecordBatch {
  std::vector<ColumnData> columns;
  uint64_t rows = 0;

  // What append_untyped() takes for columns that may be null.
  [[nodiscard]] std::vector<const void*> pointers() const {
    std::vector<const void*> all;
    all.reserve(columns.size());
    for (const ColumnData& column : columns) {
      all.push_back(is_string(column.type.type) ? static_cast<const void*>(&column.strings)
                                                : &column.numbers);
    }
    return all;
  }
};

}  // namespace bobbin::csv
