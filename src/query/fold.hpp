// SPDX-License-Identifier: Apache-2.0
// Aggregates over all rows that are folded on encoded columns: combines the totals of row groups.
#pragma once

#include <deque>
#include <span>
#include <utility>
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

  // Row groups come in file order: sums of floats depend on it. A device may still compute some of them when
  // the call returns, so that it does not wait for the host between two of them.
  Status add(RowGroupQuery& group, const Bound& bound);
  // Waits for all that were added. The device's stream must not end before.
  Status finish();
  [[nodiscard]] std::vector<Value> values() const;

 private:
  // A row group's totals; some of them are those of folds that may not be over.
  struct Pending {
    std::vector<plan::Total> totals;
    std::vector<std::pair<size_t, size_t>> shared;  // a total's position, and its fold
    PendingFold folds;
  };
  friend class GroupFolds;

  Status finish_first();
  [[nodiscard]] DType type_of(const BoundAggregate& aggregate) const;

  [[nodiscard]] Value value_of(const BoundAggregate& aggregate, const plan::Total& total) const;

  std::span<const Column> columns_;
  std::vector<BoundAggregate> aggregates_;
  std::vector<plan::Total> totals_;  // one per aggregate
  std::deque<Pending> pending_;
};

}  // namespace bobbin::query
