// SPDX-License-Identifier: Apache-2.0
// Rows as an aligned table.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sink.hpp"

namespace bobbin::cli {

// Columns are as wide as the values in their first rows. On a terminal, lines are at most as wide as the
// terminal: long strings are truncated, numbers and dates are not, and the last columns are not shown if
// they do not fit.
[[nodiscard]] std::unique_ptr<RowSink> make_table_sink(file::Output& output,
                                                       const std::vector<Column>& columns);

// The width that a column takes, and the least to which it can be truncated.
struct ColumnWidth {
  size_t whole = 0;
  size_t least = 0;
};
// For a column with a name and values of these widths. Values that are not text are never truncated.
[[nodiscard]] ColumnWidth column_width(size_t name, size_t values, bool is_text);

// The displayed widths of the first columns, as many as have room; there is at least one. Room 0: no limit.
[[nodiscard]] std::vector<size_t> fit_widths(std::span<const ColumnWidth> columns, size_t room);

// "2 more columns: price, day; --columns A,B,... chooses", for those beyond the first `shown`. `option`
// chooses.
[[nodiscard]] std::string hidden_columns(std::span<const std::string> names, size_t shown,
                                         std::string_view option);

}  // namespace bobbin::cli
