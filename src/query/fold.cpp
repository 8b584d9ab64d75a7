// SPDX-License-Identifier: Apache-2.0
#include "query/fold.hpp"

#include <algorithm>

#include "core/scalar.hpp"
#include "query/prune.hpp"
#include "query/value.hpp"

namespace bobbin::query {
namespace {

using plan::Aggregate;
using plan::Fold;
using plan::Total;

// A row group without matching rows changes nothing: the result does not depend on whether it was read.
void merge(DType type, Total& total, const Total& next) {
  if (next.count == 0) {
    return;
  }
  total.real_sum = total.count == 0 ? next.real_sum : total.real_sum + next.real_sum;
  total.count += next.count;
  total.sum += next.sum;
  if (next.least.has_value() && (!total.least.has_value() || less(type, *next.least, *total.least))) {
    total.least = next.least;
  }
  if (next.greatest.has_value() &&
      (!total.greatest.has_value() || less(type, *total.greatest, *next.greatest))) {
    total.greatest = next.greatest;
  }
}

// As many row groups may be unfinished: enough that the device has work while the host prepares the next.
constexpr size_t kMostPending = 8;

}  // namespace

// The folds of one row group. Aggregates that need the same fold share it.
class GroupFolds {
 public:
  GroupFolds(RowGroupQuery& group, const Bound& bound, std::span<const Column> columns)
      : group_(group), bound_(bound), columns_(columns) {}

  Result<FoldedTotals::Pending> start(std::span<const BoundAggregate> aggregates) {
    for (const BoundAggregate& aggregate : aggregates) {
      const Aggregate fold = fold_of(aggregate);
      if (is_free(fold)) {
        made_.totals.emplace_back();
        made_.totals.back().count = group_.info().num_rows;
      } else if (fold.column.has_value() && is_string(columns_[*fold.column].type)) {
        BOBBIN_TRY(count_strings(*fold.column));
      } else {
        made_.totals.emplace_back();
        share(fold);
      }
    }
    if (!folds_.empty()) {
      BOBBIN_ASSIGN(made_.folds, group_.fold(bound_, folds_));
    }
    return std::move(made_);
  }

 private:
  // Values are counted as rows if none is null.
  [[nodiscard]] Aggregate fold_of(const BoundAggregate& aggregate) const {
    if (aggregate.expression != nullptr) {
      return {fold_kind(aggregate.kind), {}, {aggregate.expression, &aggregate.expression->program}};
    }
    switch (aggregate.kind) {
      case AggregateSpec::Kind::count:
        return {Fold::count, aggregate.column.has_value() && num_nulls(group_.chunk(*aggregate.column)) > 0
                                 ? aggregate.column
                                 : std::nullopt};
      default:
        return {fold_kind(aggregate.kind), aggregate.column};
    }
  }
  static Fold fold_kind(AggregateSpec::Kind kind) {
    using Kind = AggregateSpec::Kind;
    return kind == Kind::count                      ? Fold::count
           : kind == Kind::sum || kind == Kind::avg ? Fold::sum
                                                    : Fold::extremes;
  }
  // Whether the footer alone gives the answer.
  [[nodiscard]] bool is_free(const Aggregate& fold) const {
    return bound_.kind == Bound::Kind::always && fold.fold == Fold::count && !fold.column.has_value() &&
           fold.expression == nullptr;
  }
  // Non-null strings are counted as rows with one more test.
  Status count_strings(uint32_t column) {
    const Bound present{.kind = Bound::Kind::both,
                        .parts = {bound_, {.kind = Bound::Kind::not_null, .column = column}}};
    const Aggregate count{Fold::count, {}};
    BOBBIN_ASSIGN(PendingFold pending,
                  group_.fold(bound_.kind == Bound::Kind::always ? present.parts[1] : present, {&count, 1}));
    BOBBIN_ASSIGN(const std::vector<Total> found, pending.wait());
    made_.totals.push_back(found[0]);
    return {};
  }
  void share(const Aggregate& fold) {
    const auto found = std::ranges::find_if(folds_, [&](const Aggregate& other) {
      const bool same = fold.expression == nullptr || other.expression == nullptr
                            ? fold.expression == other.expression
                            : *fold.expression == *other.expression;
      return other.fold == fold.fold && other.column == fold.column && same;
    });
    made_.shared.emplace_back(made_.totals.size() - 1, static_cast<size_t>(found - folds_.begin()));
    if (found == folds_.end()) {
      folds_.push_back(fold);
    }
  }

  RowGroupQuery& group_;
  const Bound& bound_;
  std::span<const Column> columns_;
  std::vector<Aggregate> folds_;
  FoldedTotals::Pending made_;
};

bool is_foldable(std::span<const Column> columns, const BoundAggregate& aggregate) {
  if (aggregate.expression != nullptr) {
    return fits_launch(aggregate.expression->program);
  }
  const bool extreme =
      aggregate.kind == AggregateSpec::Kind::min || aggregate.kind == AggregateSpec::Kind::max;
  return aggregate.kind != AggregateSpec::Kind::count_distinct &&
         !(extreme && is_string(columns[*aggregate.column].type));
}

DType FoldedTotals::type_of(const BoundAggregate& aggregate) const {
  return aggregate.expression != nullptr ? aggregate.expression->type.type
         : aggregate.column.has_value()  ? columns_[*aggregate.column].type
                                         : DType::u64;
}

Status FoldedTotals::add(RowGroupQuery& group, const Bound& bound) {
  auto started = GroupFolds(group, bound, columns_).start(aggregates_);
  if (!started.has_value()) {
    BOBBIN_TRY(finish());  // errors of earlier row groups come first
    return started.error();
  }
  pending_.push_back(std::move(*started));
  return pending_.size() > kMostPending ? finish_first() : Status();
}

Status FoldedTotals::finish() {
  while (!pending_.empty()) {
    BOBBIN_TRY(finish_first());
  }
  return {};
}

Status FoldedTotals::finish_first() {
  Pending first = std::move(pending_.front());
  pending_.pop_front();
  BOBBIN_ASSIGN(const std::vector<Total> found, first.folds.wait());
  for (const auto& [place, fold] : first.shared) {
    first.totals[place] = found[fold];
  }
  for (size_t i = 0; i < aggregates_.size(); ++i) {
    merge(type_of(aggregates_[i]), totals_[i], first.totals[i]);
  }
  return {};
}

Value FoldedTotals::value_of(const BoundAggregate& aggregate, const Total& total) const {
  if (aggregate.kind == AggregateSpec::Kind::count) {
    return Value::of_integer(total.count);
  }
  const Column column = aggregate.expression != nullptr
                            ? Column{.name = {},
                                     .type = aggregate.expression->type.type,
                                     .logical = aggregate.expression->type.logical}
                            : columns_[*aggregate.column];
  const bool averages = aggregate.kind == AggregateSpec::Kind::avg;
  if (averages || aggregate.kind == AggregateSpec::Kind::sum) {
    if (!is_float(column.type)) {
      return averages ? average_of(column, total.sum, total.count) : sum_of(column, total.sum, total.count);
    }
    const double divisor = averages ? static_cast<double>(total.count) : 1;
    return total.count == 0 ? Value() : Value::of_real(total.real_sum / divisor);
  }
  const auto& found = aggregate.kind == AggregateSpec::Kind::min ? total.least : total.greatest;
  return found.has_value() ? to_value(column, *found) : Value();
}

std::vector<Value> FoldedTotals::values() const {
  std::vector<Value> values;
  for (size_t i = 0; i < aggregates_.size(); ++i) {
    values.push_back(value_of(aggregates_[i], totals_[i]));
  }
  return values;
}

}  // namespace bobbin::query
