// SPDX-License-Identifier: Apache-2.0
// Rows of a table by columns, which somebody else owns.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/file.hpp"

namespace bobbin::csv {

struct ColumnData {
  ColumnType type;
  NullableView numbers;  // unless they are
  StringsView strings;
};

struct Batch {
  std::vector<ColumnData> columns;
  uint64_t rows = 0;

  // What Writer::append() takes for columns that may be null.
  [[nodiscard]] std::vector<const void*> pointers() const {
    std::vector<const void*> all;
    for (const ColumnData& column : columns) {
      all.push_back(is_string(column.type.type) ? static_cast<const void*>(&column.strings)
                                                : &column.numbers);
    }
    return all;
  }
};

}  // namespace bobbin::csv
