// SPDX-License-Identifier: Apache-2.0
#include "query/accumulate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/scalar.hpp"
#include "query/average.hpp"
#include "query/computed.hpp"
#include "query/text.hpp"
#include "query/value.hpp"
#include "query/value_ids.hpp"

namespace bobbin::query {
namespace {

// Calls f(group, place) for each selected non-null row.
template <class F>
void for_each_value(const SelectedColumn& column, std::span<const uint32_t> groups, F&& f) {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (const uint64_t place = column.place(i); !column.values->is_null(place)) {
      f(groups[i], place);
    }
  }
}

class ColumnAccumulator : public Accumulator {
 public:
  ColumnAccumulator(const Column& column, uint32_t index) : column_(column), index_(index) {}

 protected:
  Result<SelectedColumn> values(SelectedRows& rows) const { return rows.column(index_); }

  Column column_;
  uint32_t index_;
};

class ValueCounter final : public ColumnAccumulator {
 public:
  using ColumnAccumulator::ColumnAccumulator;

  void resize(size_t num_groups) override { counts_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override {
    BOBBIN_ASSIGN(const SelectedColumn column, values(rows));
    for_each_value(column, groups, [&](uint32_t group, uint64_t) { ++counts_[group]; });
    return {};
  }
  [[nodiscard]] std::optional<Needs> needs() const override {
    return is_string(column_.type) ? std::nullopt : std::optional(Needs{.column = index_});
  }
  void add_total(uint32_t group, const plan::Total& total) override { counts_[group] += total.count; }
  [[nodiscard]] Value value(uint32_t group) const override { return Value::of_integer(counts_[group]); }

 private:
  std::vector<uint64_t> counts_;
};

// Sums or averages, of integers if Sum is Int128, of floats if it is double.
template <class Sum>
class Summer final : public ColumnAccumulator {
 public:
  Summer(const Column& column, uint32_t index, bool averages)
      : ColumnAccumulator(column, index), averages_(averages) {}

  void resize(size_t num_groups) override { totals_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override {
    BOBBIN_ASSIGN(const SelectedColumn column, values(rows));
    visit_type(column_.type, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_floating_point_v<T> == kFloats) {
        for_each_value(column, groups, [&](uint32_t group, uint64_t place) {
          totals_[group].sum += column.values->number<T>(place);
          ++totals_[group].count;
        });
      }
    });
    return {};
  }
  // A sum of floats depends on their order, so each row is added.
  [[nodiscard]] std::optional<Needs> needs() const override {
    return kFloats ? std::nullopt : std::optional(Needs{.column = index_, .fold = plan::Fold::sum});
  }
  void add_total(uint32_t group, const plan::Total& total) override {
    if constexpr (!kFloats) {
      totals_[group].sum += total.sum;
      totals_[group].count += total.count;
    }
  }
  [[nodiscard]] Value value(uint32_t group) const override {
    const auto& [sum, count] = totals_[group];
    if constexpr (!kFloats) {
      return averages_ ? average_of(column_, sum, count) : sum_of(column_, sum, count);
    } else {
      return count == 0 ? Value() : Value::of_real(averages_ ? sum / static_cast<double>(count) : sum);
    }
  }

 private:
  static constexpr bool kFloats = std::is_same_v<Sum, double>;
  struct Total {
    Sum sum = kFloats ? Sum(-0.0) : Sum(0);  // adding a value to it gives the value unchanged
    uint64_t count = 0;
  };

  bool averages_;
  std::vector<Total> totals_;
};

// The minimum or maximum number; NaN is ignored.
class NumberExtreme final : public ColumnAccumulator {
 public:
  NumberExtreme(const Column& column, uint32_t index, bool greatest)
      : ColumnAccumulator(column, index), greatest_(greatest) {}

  void resize(size_t num_groups) override { found_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override {
    BOBBIN_ASSIGN(const SelectedColumn column, values(rows));
    visit_type(column_.type, [&]<class T>(std::type_identity<T>) {
      for_each_value(column, groups, [&](uint32_t group, uint64_t place) {
        consider(found_[group], column.values->number<T>(place));
      });
    });
    return {};
  }
  [[nodiscard]] std::optional<Needs> needs() const override {
    return Needs{.column = index_, .fold = plan::Fold::extremes};
  }
  void add_total(uint32_t group, const plan::Total& total) override {
    if (const auto& found = greatest_ ? total.greatest : total.least; found.has_value()) {
      visit_type(column_.type,
                 [&]<class T>(std::type_identity<T>) { consider(found_[group], value_of<T>(*found)); });
    }
  }
  [[nodiscard]] Value value(uint32_t group) const override {
    return found_[group].has_value() ? to_value(column_, *found_[group]) : Value();
  }

 private:
  template <class T>
  void consider(std::optional<Scalar>& found, T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        return;
      }
    }
    const auto key = order_key(value);
    if (!found.has_value() ||
        (greatest_ ? order_key(value_of<T>(*found)) < key : key < order_key(value_of<T>(*found)))) {
      found = scalar_of(value);
    }
  }

  bool greatest_;
  std::vector<std::optional<Scalar>> found_;
};

class StringExtreme final : public ColumnAccumulator {
 public:
  StringExtreme(const Column& column, uint32_t index, bool greatest)
      : ColumnAccumulator(column, index), greatest_(greatest) {}

  void resize(size_t num_groups) override { found_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override {
    BOBBIN_ASSIGN(const SelectedColumn column, values(rows));
    if (column.values->entries() != nullptr && found_.size() <= groups.size()) {
      add_entries(column, groups);
    } else {
      for_each_value(column, groups,
                     [&](uint32_t group, uint64_t place) { consider(group, column.values->text(place)); });
    }
    return {};
  }
  [[nodiscard]] std::optional<uint32_t> distinct_column() const override { return index_; }
  Status add_marked(uint32_t group, const DecodedColumn& values, const BitmapWords& marks) override {
    for (const uint64_t place : rows_of(marks)) {
      if (!values.is_null(place)) {
        consider(group, values.text(place));
      }
    }
    return {};
  }
  [[nodiscard]] Value value(uint32_t group) const override {
    return found_[group].has_value() ? Value::of_text(*found_[group]) : Value();
  }

 private:
  void consider(uint32_t group, std::string_view text) {
    std::optional<std::string>& found = found_[group];
    if (!found.has_value() || (greatest_ ? *found < text : text < *found)) {
      found = text;
    }
  }
  // Rows are compared by the ranks of their entries; of each group, only one string is looked at.
  void add_entries(const SelectedColumn& column, std::span<const uint32_t> groups) {
    constexpr uint64_t kNone = UINT64_MAX;
    const DecodedColumn& values = *column.values;
    const std::span<const uint32_t> ranks = values.entries()->ranks();
    std::vector<uint64_t> best(found_.size(), kNone);  // the place of a row
    for_each_value(column, groups, [&](uint32_t group, uint64_t place) {
      const uint32_t rank = ranks[values.entry(place)];
      uint64_t& known = best[group];
      const bool is_better = known == kNone || (greatest_ ? ranks[values.entry(known)] < rank
                                                          : rank < ranks[values.entry(known)]);
      known = is_better ? place : known;
    });
    for (uint32_t group = 0; group < best.size(); ++group) {
      if (best[group] != kNone) {
        consider(group, values.text(best[group]));
      }
    }
  }

  bool greatest_;
  std::vector<std::optional<std::string>> found_;
};

class DistinctCounter final : public ColumnAccumulator {
 public:
  DistinctCounter(const Column& column, uint32_t index) : ColumnAccumulator(column, index), ids_(column) {}

  void resize(size_t num_groups) override { counts_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override {
    BOBBIN_ASSIGN(const std::vector<uint32_t> ids, ids_.ids_of(rows, index_));
    for (size_t i = 0; i < groups.size(); ++i) {
      count(groups[i], ids[i]);
    }
    return check();
  }
  [[nodiscard]] std::optional<uint32_t> distinct_column() const override { return index_; }
  Status add_marked(uint32_t group, const DecodedColumn& values, const BitmapWords& marks) override {
    for (const uint64_t place : rows_of(marks)) {
      count(group, ids_.id_at(values, place));
    }
    return check();
  }
  [[nodiscard]] Value value(uint32_t group) const override { return Value::of_integer(counts_[group]); }

 private:
  void count(uint32_t group, uint32_t id) {
    const size_t before = pairs_.size();
    if (id != ValueIds::kNull) {
      pairs_.id_of(uint64_t{group} << 32 | id);
      counts_[group] += pairs_.size() - before;
    }
  }
  [[nodiscard]] Status check() const {
    BOBBIN_RETURN_IF(pairs_.size() > kMaxDistinct, StatusCode::unsupported,
                     fmt::format("column {} holds {}: count(distinct) exceeds {} values",
                                 single_quoted(column_.name), type_text(column_), kMaxDistinct));
    return {};
  }

  ValueIds ids_;
  KeyIds pairs_;  // for a group and a value
  std::vector<uint64_t> counts_;
};

}  // namespace

Status RowCounter::add(SelectedRows& /*rows*/, std::span<const uint32_t> groups) {
  for (const uint32_t group : groups) {
    ++counts_[group];
  }
  return {};
}

Value RowCounter::value(uint32_t group) const {
  return Value::of_integer(counts_[group]);
}

std::unique_ptr<Accumulator> make_accumulator(std::span<const Column> columns,
                                              const BoundAggregate& aggregate) {
  using Kind = AggregateSpec::Kind;
  if (aggregate.expression != nullptr) {
    return make_computed_accumulator(columns, aggregate);
  }
  if (!aggregate.column.has_value()) {
    return std::make_unique<RowCounter>();
  }
  const Column& column = columns[*aggregate.column];
  const uint32_t index = *aggregate.column;
  switch (aggregate.kind) {
    case Kind::count:
      return std::make_unique<ValueCounter>(column, index);
    case Kind::count_distinct:
      return std::make_unique<DistinctCounter>(column, index);
    case Kind::min:
    case Kind::max:
      if (is_string(column.type)) {
        return std::make_unique<StringExtreme>(column, index, aggregate.kind == Kind::max);
      }
      return std::make_unique<NumberExtreme>(column, index, aggregate.kind == Kind::max);
    case Kind::sum:
    case Kind::avg:
      break;
  }
  if (is_float(column.type)) {
    return std::make_unique<Summer<double>>(column, index, aggregate.kind == Kind::avg);
  }
  return std::make_unique<Summer<Int128>>(column, index, aggregate.kind == Kind::avg);
}

}  // namespace bobbin::query
