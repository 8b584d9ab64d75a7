// SPDX-License-Identifier: Apache-2.0
// One test and one sum of the same column in host memory: values are tested and added as they are read,
// without a bitmap in between.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plan/batch_column.hpp"
#include "plan/plan.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {

class OnePass {
 public:
  // Null if the query is not of this form, or the column's encoding has no such loop.
  [[nodiscard]] static std::unique_ptr<OnePass> create(std::span<const Source> columns, const Filter& filter,
                                                       std::span<const Aggregate> aggregates,
                                                       const Rows& rows);
  OnePass() = default;
  OnePass(const OnePass&) = delete;
  OnePass& operator=(const OnePass&) = delete;
  virtual ~OnePass() = default;

  // Adds a batch to a total, and the sum of each of its vectors to `sums` if the values are floats. False:
  // nothing was added, because this batch has to be tested and summed separately.
  [[nodiscard]] virtual bool add(const RowBatch& batch, Total& total, std::vector<double>& sums) = 0;
};

}  // namespace bobbin::plan
