// SPDX-License-Identifier: Apache-2.0
// Aggregates over all rows that are folded on encoded columns: combines the totals of row groups.
#pragma once

#include <span>
#include <vector>

#include "bobbin/query.hpp"
#include "plan/plan.hpp"
#include "query/bind.hpp"
#include "query/row_group.hpp"

namespace bobbin::query {

// Whether FoldedTotals supports it: not min and max of strings, nor distinct values.
[[nodiscard]] bool is_foldable(std::span<const Column> columns, const BoundAggregate& aggregate);

class FoldedTotals {
 public:
  FoldedTotals(std::span<const Column> columns, std::vector<BoundAggregate> aggregates)
      : columns_(columns), aggregates_(std::move(aggregates)), totals_(aggregates_.size()) {}

  // Row groups come in file order: sums of floats depend on it.
  Status add(RowGroupQuery& group, const Bound& bound);
  [[nodiscard]] std::vector<Value> values() const;

 private:
  [[nodiscard]] DType type_of(const BoundAggregate& aggregate) const;

  [[nodiscard]] Value value_of(const BoundAggregate& aggregate, const plan::Total& total) const;

  std::span<const Column> columns_;
  std::vector<BoundAggregate> aggregates_;
  std::vector<plan::Total> totals_;  // one per aggregate
};

}  // namespace bobbin::query
