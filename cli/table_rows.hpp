// SPDX-License-Identifier: Apache-2.0
// Rows as an aligned table, for people.
#pragma once

#include <memory>

#include "cli/sink.hpp"

namespace bobbin::cli {

// Columns are as wide as what is in their first rows. On a terminal a line is no wider than that: the widest
// columns are cut, and columns for which no room is left are not shown.
[[nodiscard]] std::unique_ptr<RowSink> make_table_sink(file::Output& output,
                                                       const std::vector<Column>& columns);

// How wide columns of `widths` are shown when a line has room for `room`; those beyond the result's end are
// not shown. Room 0: as wide as they are.
[[nodiscard]] std::vector<size_t> fit_widths(std::vector<size_t> widths, size_t room);

}  // namespace bobbin::cli
