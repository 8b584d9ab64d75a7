// SPDX-License-Identifier: Apache-2.0
// Rows as an aligned table.
#pragma once

#include <memory>

#include "cli/sink.hpp"

namespace bobbin::cli {

// Columns are as wide as the values in their first rows. On a terminal, lines are at most as wide as the
// terminal: the widest columns are truncated, and columns without room are not shown.
[[nodiscard]] std::unique_ptr<RowSink> make_table_sink(file::Output& output,
                                                       const std::vector<Column>& columns);

// The displayed widths of columns of `widths` if a line has room for `room`; columns beyond the end of the
// result are not shown. Room 0: no limit.
[[nodiscard]] std::vector<size_t> fit_widths(std::vector<size_t> widths, size_t room);

}  // namespace bobbin::cli
