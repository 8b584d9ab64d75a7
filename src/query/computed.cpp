// SPDX-License-Identifier: Apache-2.0
#include "query/computed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/dispatch.hpp"
#include "query/average.hpp"

namespace bobbin::query {
namespace {

using plan::NumberType;

std::vector<DType> types_of(std::span<const Column> columns) {
  std::vector<DType> types;
  std::ranges::transform(columns, std::back_inserter(types), &Column::type);
  return types;
}

// Whether a value is below another as min and max see it: -0.0 is below 0.0.
bool is_less(Int128 a, Int128 b) {
  return a < b;
}
bool is_less(double a, double b) {
  return order_key(a) < order_key(b);
}

// Sums, averages, extremes and counts of an expression. T is Int128 or double.
template <class T>
class ComputedAccumulator final : public Accumulator {
 public:
  ComputedAccumulator(std::span<const Column> columns, const BoundAggregate& aggregate)
      : kind_(aggregate.kind),
        expression_(aggregate.expression),
        rows_(expression_->program, columns, expression_->text, result_type(expression_->program)) {}

  void resize(size_t num_groups) override { totals_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override {
    std::vector<SelectedColumn> from;
    for (const uint32_t column : rows_.columns()) {
      BOBBIN_ASSIGN(const SelectedColumn values, rows.column(column));
      from.push_back(values);
    }
    for (size_t first = 0; first < groups.size(); first += kVectorLength) {
      const size_t count = std::min<size_t>(kVectorLength, groups.size() - first);
      BOBBIN_ASSIGN(const std::byte* values, rows_.run(from, first, count));
      const auto some = groups.subspan(first, count);
      BOBBIN_TRY(rows_.type() == NumberType::i64 ? add_values(reinterpret_cast<const int64_t*>(values), some)
                                                 : add_values(reinterpret_cast<const T*>(values), some));
    }
    return {};
  }
  // Sums of reals depend on the order of rows.
  [[nodiscard]] std::optional<Needs> needs() const override {
    using Kind = AggregateSpec::Kind;
    const bool sums = kind_ == Kind::sum || kind_ == Kind::avg;
    if ((sums && expression_->program.is_real()) || !fits_launch(expression_->program)) {
      return std::nullopt;
    }
    const plan::Fold fold = sums                   ? plan::Fold::sum
                            : kind_ == Kind::count ? plan::Fold::count
                                                   : plan::Fold::extremes;
    return Needs{.column = {}, .fold = fold, .expression = expression_};
  }
  void add_total(uint32_t group, const plan::Total& total) override {
    const bool greatest = kind_ == AggregateSpec::Kind::max;
    const std::optional<Scalar>& found = greatest ? total.greatest : total.least;
    totals_[group].count += total.count;
    totals_[group].sum += static_cast<T>(total.sum);
    if (found.has_value()) {
      using Stored = std::conditional_t<std::is_same_v<T, double>, double, int64_t>;
      totals_[group].add_extreme(static_cast<T>(bobbin::value_of<Stored>(*found)), greatest);
    }
  }
  [[nodiscard]] Value value(uint32_t group) const override {
    using Kind = AggregateSpec::Kind;
    const Total& total = totals_[group];
    if (kind_ == Kind::count) {
      return Value::of_integer(total.count);
    }
    if (total.count == 0 || (kind_ != Kind::sum && kind_ != Kind::avg && !total.extreme.has_value())) {
      return {};
    }
    if (kind_ == Kind::avg) {
      return average_of(total);
    }
    return value_of(kind_ == Kind::sum ? total.sum : *total.extreme);
  }

 private:
  // Integers have 64 bits where that is enough.
  static NumberType result_type(const plan::Expression& program) {
    return program.is_real() ? NumberType::f64 : program.is_wide() ? NumberType::i128 : NumberType::i64;
  }
  template <class From>
  Status add_values(const From* values, std::span<const uint32_t> groups) {
    bool overflows = false;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (!rows_.is_null(i)) {
        overflows = totals_[groups[i]].add(static_cast<T>(values[i]), kind_) || overflows;
      }
    }
    BOBBIN_RETURN_IF(overflows, StatusCode::unsupported,
                     fmt::format("the sum of {} exceeds 128 bits", expression_->text));
    return {};
  }

  struct Total {
    uint64_t count = 0;
    T sum = std::is_same_v<T, double> ? static_cast<T>(-0.0) : T{0};  // adding a value to it gives the value
    std::optional<T> extreme;

    // Whether the sum exceeds 128 bits.
    bool add(T value, AggregateSpec::Kind kind) {
      using Kind = AggregateSpec::Kind;
      ++count;
      if (kind == Kind::sum || kind == Kind::avg) {
        if constexpr (std::is_same_v<T, double>) {
          sum += value;
        } else {
          return __builtin_add_overflow(sum, value, &sum);
        }
      } else if (kind != Kind::count) {
        add_extreme(value, kind == Kind::max);
      }
      return false;
    }
    void add_extreme(T value, bool greatest) {
      if constexpr (std::is_same_v<T, double>) {
        if (std::isnan(value)) {
          return;
        }
      }
      if (!extreme.has_value() || (greatest ? is_less(*extreme, value) : is_less(value, *extreme))) {
        extreme = value;
      }
    }
  };

  [[nodiscard]] Value value_of(T value) const {
    if constexpr (std::is_same_v<T, double>) {
      return Value::of_real(value);
    } else {
      return Value::of_integer(value, expression_->type.logical);
    }
  }
  [[nodiscard]] Value average_of(const Total& total) const {
    if constexpr (std::is_same_v<T, double>) {
      return Value::of_real(total.sum / static_cast<double>(total.count));
    } else {
      return Value::of_real(average(total.sum, total.count, expression_->type.logical.scale));
    }
  }

  AggregateSpec::Kind kind_;
  std::shared_ptr<const BoundExpression> expression_;
  ComputedRows rows_;
  std::vector<Total> totals_;
};

}  // namespace

ComputedRows::ComputedRows(const plan::Expression& expression, std::span<const Column> columns,
                           std::string text, std::optional<NumberType> result)
    : program_(expression, types_of(columns), result), text_(std::move(text)), nulls_(kVectorLength) {
  for (const uint32_t column : program_.columns()) {
    gathered_.emplace_back(kVectorLength * size_bytes(columns[column].type));
    inputs_.push_back(gathered_.back().data());
  }
}

void ComputedRows::gather(const SelectedColumn& from, size_t first, size_t count,
                          std::vector<std::byte>& to) {
  const DecodedColumn& values = *from.values;
  visit_type(values.type(), [&]<class T>(std::type_identity<T>) {
    for (size_t i = 0; i < count; ++i) {
      const T value = values.number<T>(from.place(first + i));
      std::memcpy(to.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  if (values.has_nulls()) {
    for (size_t i = 0; i < count; ++i) {
      nulls_[i] = nulls_[i] != 0 || values.is_null(from.place(first + i)) ? 1 : 0;
    }
  }
}

Result<const std::byte*> ComputedRows::run(std::span<const SelectedColumn> from, size_t first, size_t count) {
  std::ranges::fill(nulls_, 0);
  for (size_t c = 0; c < from.size(); ++c) {
    gather(from[c], first, count, gathered_[c]);
  }
  const std::byte* const values = program_.run(inputs_, static_cast<uint32_t>(count));
  for (uint32_t i = 0; i < count && program_.may_overflow(); ++i) {
    BOBBIN_RETURN_IF(program_.overflows(i) && !is_null(i), StatusCode::unsupported,
                     fmt::format("a value of {} exceeds 128 bits", text_));
  }
  return values;
}

Result<BitmapWords> compare_rows(const BoundComparison& comparison, std::span<const Column> columns,
                                 std::span<const DecodedColumn* const> from) {
  const plan::Comparison& program = comparison.program;
  const NumberType type = plan::compared_type(program);
  ComputedRows left(program.left, columns, comparison.text, type);
  ComputedRows right(program.right, columns, comparison.text, type);
  const std::vector<uint32_t> all = program.columns();
  const auto columns_of = [&](const ComputedRows& side) {
    std::vector<SelectedColumn> selected;
    for (const uint32_t column : side.columns()) {
      selected.push_back({from[static_cast<size_t>(std::ranges::lower_bound(all, column) - all.begin())]});
    }
    return selected;
  };
  const std::vector<SelectedColumn> left_columns = columns_of(left);
  const std::vector<SelectedColumn> right_columns = columns_of(right);
  const plan::CompareLoop loop = plan::compare_loop(program.op, type);
  const uint64_t rows = from[0]->length();
  BitmapWords words((rows + 31) / 32);
  for (uint64_t first = 0; first < rows; first += kVectorLength) {
    const size_t count = std::min<uint64_t>(kVectorLength, rows - first);
    BOBBIN_ASSIGN(const std::byte* a, left.run(left_columns, first, count));
    BOBBIN_ASSIGN(const std::byte* b, right.run(right_columns, first, count));
    uint32_t bits[kVectorLength / 32];
    loop(a, b, bits);
    for (size_t i = 0; i < count; ++i) {
      const bool holds = (bits[i / 32] >> (i % 32) & 1) != 0;
      if (holds != program.negated && !left.is_null(i) && !right.is_null(i)) {
        words[(first + i) / 32] |= 1U << ((first + i) % 32);
      }
    }
  }
  return words;
}

std::unique_ptr<Accumulator> make_computed_accumulator(std::span<const Column> columns,
                                                       const BoundAggregate& aggregate) {
  if (aggregate.expression->program.is_real()) {
    return std::make_unique<ComputedAccumulator<double>>(columns, aggregate);
  }
  return std::make_unique<ComputedAccumulator<Int128>>(columns, aggregate);
}

}  // namespace bobbin::query
