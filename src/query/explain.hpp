// SPDX-License-Identifier: Apache-2.0
// Notes how the row groups of a query are answered.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bobbin/query.hpp"
#include "plan/pieces.hpp"
#include "query/row_group.hpp"

namespace bobbin::query {

class Explainer {
 public:
  // `to` may be null: nothing is noted.
  Explainer(Explanation* to, plan::Pieces& pieces);

  void add_skipped(size_t row_group);
  // After the row group was answered.
  void add(const RowGroupQuery& group);

 private:
  void add_step(size_t row_group, plan::LaunchReport report);

  Explanation* to_;
  std::vector<plan::LaunchReport> reports_;  // of the current row group
};

}  // namespace bobbin::query
