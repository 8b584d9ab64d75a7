// SPDX-License-Identifier: Apache-2.0
// Queries of files in kernels that are compiled for them, compared with the CPU and with a slow evaluation of
// the table's cells.
#pragma once

#include <string>

#include "bobbin/types.hpp"

namespace bobbin::testing {

// Distinct values of columns with dictionaries, which differ from row group to row group. Empty if everything
// is correct. `compares`: otherwise it only runs.
[[nodiscard]] std::string check_distinct(Backend backend, bool compares = true);

// Groups, with nulls in keys and values, of counts, sums, minimums and maximums.
[[nodiscard]] std::string check_grouped_nulls(Backend backend, bool compares = true);

}  // namespace bobbin::testing
