// SPDX-License-Identifier: Apache-2.0
// Queries over encoded columns in host memory. The results are the same as on a device, to the bit.
#pragma once

#include <span>
#include <vector>

#include "array/array.hpp"
#include "plan/plan.hpp"

namespace bobbin::plan {

// Columns as for Prepared. `rows`, if given, receives the bitmap of matching rows. On one core.
[[nodiscard]] Result<std::vector<Total>> run_on_host(std::span<const Source> columns, const Filter& filter,
                                                     std::span<const Aggregate> aggregates,
                                                     array::Bitmap* rows = nullptr);

// The same for each group of rows, as Prepared::create_groups. `unsupported` if an aggregate is neither a
// count nor a sum of integers.
[[nodiscard]] Result<std::vector<Total>> run_groups_on_host(std::span<const Source> columns,
                                                            const Filter& filter,
                                                            std::span<const Aggregate> aggregates,
                                                            std::span<const KeyColumn> keys);

}  // namespace bobbin::plan
