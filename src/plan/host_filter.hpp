// SPDX-License-Identifier: Apache-2.0
// Evaluates a filter over batches of columns in host memory.
#pragma once

#include <memory>
#include <vector>

#include "plan/batch_column.hpp"
#include "plan/batch_expression.hpp"
#include "plan/plan.hpp"

namespace bobbin::plan {

class HostFilter {
 public:
  // The filter must stay in place.
  HostFilter(const Filter& filter, std::vector<BatchColumn>& columns);

  // The matching rows of a batch. Valid until the next call.
  const BitmapWords& run(const RowBatch& batch, std::vector<BatchColumn>& columns);

 private:
  static void keep_rows(const RowBatch& batch, BitmapWords& words);

  const Filter& filter_;
  std::vector<HostTest> tests_;                                // one per condition
  std::vector<std::unique_ptr<BatchComparison>> comparisons_;  // the same
  std::vector<BitmapWords> stack_;
};

}  // namespace bobbin::plan
