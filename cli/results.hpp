// SPDX-License-Identifier: Apache-2.0
// Query results as a table, as CSV and as JSON.
#pragma once

#include "bobbin/query.hpp"

namespace bobbin::cli {

void print_table(const query::ResultTable& result);
// With commas and a header; nulls are empty, empty strings are quoted.
[[nodiscard]] Status print_csv(const query::ResultTable& result);
// Strings that are not UTF-8 are {"hex": "ff00"}. Integers of more than 64 bits, infinities, NaN, decimals,
// dates and timestamps are strings.
void print_json(const query::ResultTable& result, const query::QueryStats& stats);
// One line for adjacent row groups that were answered in the same way, then the sources of kernels.
void print_explanation(const query::Explanation& explanation);

}  // namespace bobbin::cli
