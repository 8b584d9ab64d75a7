// SPDX-License-Identifier: Apache-2.0
// Judges whether the first record of a table contains the columns' names. Every column gives points: for
// names where the first field differs from all values below it, for values where it is like them. docs/csv.md
// has the list.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "csv/convert.hpp"

namespace bobbin::csv {

using Record = std::vector<std::string_view>;

struct HeaderVerdict {
  bool is_header = true;
  bool is_close = false;  // little speaks for it, or as much against it
  bool by_types = false;  // some field is a text above numbers, dates or booleans only
};

[[nodiscard]] HeaderVerdict judge_header(std::span<const Record> records, size_t fields,
                                         const NullTest& is_null);

}  // namespace bobbin::csv
