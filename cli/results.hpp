// SPDX-License-Identifier: Apache-2.0
// Query results as a table, as CSV and as JSON.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bobbin/query.hpp"

namespace bobbin::cli {

// Prints a result's rows as they come.
class ResultPrinter {
 public:
  virtual ~ResultPrinter() = default;

  [[nodiscard]] virtual Status add(std::span<const std::vector<query::Value>> rows) = 0;
  [[nodiscard]] virtual Status finish(const query::QueryStats& stats) = 0;
};
using ResultColumns = std::vector<query::ResultColumn>;

// Aligned columns; with `with_stats` also how many row groups were read. The columns are as wide as the
// widest values of the first rows, which are held: some MiB of them.
[[nodiscard]] std::unique_ptr<ResultPrinter> make_table_printer(ResultColumns columns, bool with_stats);
// With commas and a header; nulls are empty, empty strings are quoted.
[[nodiscard]] std::unique_ptr<ResultPrinter> make_csv_printer(ResultColumns columns);
// Strings that are not UTF-8 are {"base64": "/wA="}. Integers of more than 64 bits, infinities, NaN, dates
// and timestamps are strings.
[[nodiscard]] std::unique_ptr<ResultPrinter> make_json_printer(ResultColumns columns);
// One line for adjacent row groups that were answered in the same way, then the sources of kernels.
void print_explanation(const query::Explanation& explanation);

}  // namespace bobbin::cli
