// SPDX-License-Identifier: Apache-2.0
#include "plan/totals.hpp"

#include <algorithm>

namespace bobbin::plan {

Scalar value_of_place(DType type, uint64_t place) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    using Bits = BitsOf<T>;
    constexpr Bits kSign = std::is_unsigned_v<T> ? Bits{0} : static_cast<Bits>(Bits{1} << (kBits<Bits> - 1));
    const auto key = static_cast<Bits>(static_cast<Bits>(place) ^ kSign);
    // The mapping is its own inverse.
    return Scalar{range_key<T>(key)};
  });
}

Int128 sum_of(DType type, const WideSum& sum) {
  const Int128 high = is_signed(type) ? Int128{static_cast<int64_t>(sum.high)} : Int128{sum.high};
  return high * (Int128{1} << 32) + sum.low;
}

void set_extremes(DType type, const Extremes& extremes, Total& total) {
  if (extremes.least <= extremes.greatest) {
    total.least = value_of_place(type, extremes.least);
    total.greatest = value_of_place(type, extremes.greatest);
  }
}

namespace {

Status check_member(const Condition& condition, const Source& source) {
  const bool codes =
      source.array != nullptr && (source.array->type == DType::u8 || source.array->type == DType::u16 ||
                                  source.array->type == DType::u32);
  BOBBIN_RETURN_IF(!codes || condition.passes.empty(), StatusCode::invalid_argument,
                   "plan: a test of codes on a column without codes");
  return {};
}

bool can_merge(const Condition& a, const Condition& b, std::span<const Source> columns) {
  const Array* array = columns[a.column].array;
  return a.kind == Condition::Kind::test && b.kind == Condition::Kind::test && a.column == b.column &&
         array != nullptr && values_of(*array).codec == CodecId::dict;
}

}  // namespace

namespace {

// Whether all columns are arrays of numbers.
bool has_numbers(std::span<const uint32_t> used, std::span<const Source> columns) {
  return std::ranges::all_of(used, [&](uint32_t c) {
    return c < columns.size() && columns[c].array != nullptr && !is_string(columns[c].array->type);
  });
}

Status check_comparison(const Condition& condition, std::span<const Source> columns) {
  const Comparison* const comparison = condition.comparison.get();
  BOBBIN_RETURN_IF(comparison == nullptr || comparison->is_wide() ||
                       comparison->left.is_real() != comparison->right.is_real() ||
                       !has_numbers(comparison->columns(), columns),
                   StatusCode::invalid_argument, "plan: a comparison lacks its operands");
  return {};
}

}  // namespace

Status check_filter(const Filter& filter, std::span<const Source> columns) {
  size_t depth = 0;
  for (const Condition& condition : filter) {
    const bool joins = condition.kind == Condition::Kind::both || condition.kind == Condition::Kind::either;
    BOBBIN_RETURN_IF(joins ? depth < 2 : condition.column >= columns.size(), StatusCode::invalid_argument,
                     "plan: a condition lacks its operands");
    if (condition.kind == Condition::Kind::compare) {
      BOBBIN_TRY(check_comparison(condition, columns));
    }
    if (condition.kind == Condition::Kind::member) {
      BOBBIN_TRY(check_member(condition, columns[condition.column]));
    }
    depth = joins ? depth - 1 : depth + 1;
    BOBBIN_RETURN_IF(depth > kMaxDepth, StatusCode::unsupported,
                     "the filter is nested more than " + std::to_string(kMaxDepth) + " deep");
  }
  BOBBIN_RETURN_IF(depth > 1, StatusCode::invalid_argument, "plan: conditions are not combined");
  return {};
}

std::vector<ValueRange> ranges_of(const Condition& condition) {
  std::vector<ValueRange> ranges{condition.range};
  ranges.insert(ranges.end(), condition.more.begin(), condition.more.end());
  return ranges;
}

Filter merge_tests(const Filter& filter, std::span<const Source> columns) {
  Filter merged;
  std::vector<size_t> starts;  // where each part on the stack begins
  for (const Condition& condition : filter) {
    switch (condition.kind) {
      case Condition::Kind::both:
        starts.pop_back();
        break;
      case Condition::Kind::either: {
        const size_t second = starts.back();
        starts.pop_back();
        const bool two = second == starts.back() + 1 && merged.size() == second + 1;
        if (two && can_merge(merged[second - 1], merged[second], columns)) {
          const std::vector<ValueRange> ranges = ranges_of(merged[second]);
          merged.pop_back();
          merged.back().more.insert(merged.back().more.end(), ranges.begin(), ranges.end());
          continue;
        }
        break;
      }
      default:
        starts.push_back(merged.size());
    }
    merged.push_back(condition);
  }
  return merged;
}

Status check_aggregate(const Aggregate& aggregate, std::span<const Source> columns) {
  if (aggregate.expression != nullptr) {
    BOBBIN_RETURN_IF(aggregate.column.has_value() || aggregate.expression->is_wide() ||
                         !has_numbers(aggregate.expression->columns(), columns),
                     StatusCode::invalid_argument, "plan: an expression lacks its columns");
    return {};
  }
  BOBBIN_RETURN_IF(
      aggregate.column.has_value() ? *aggregate.column >= columns.size() : aggregate.fold != Fold::count,
      StatusCode::invalid_argument, "plan: an aggregate lacks its column");
  return {};
}

Result<Rows> Rows::of(std::span<const Source> columns) {
  std::optional<Rows> rows;
  for (const Source& column : columns) {
    if (column.array == nullptr) {
      continue;
    }
    BOBBIN_RETURN_IF(rows.has_value() && column.array->length != rows->length, StatusCode::invalid_argument,
                     "plan: columns differ in length");
    rows = rows.has_value() ? rows : Rows{column.array->offset, column.array->length};
  }
  BOBBIN_RETURN_IF(!rows.has_value(), StatusCode::invalid_argument,
                   "plan: without columns, the number of rows is unknown");
  BOBBIN_RETURN_IF(rows->length >= kMaxRows, StatusCode::unsupported, "plan: too many rows: split the array");
  return *rows;
}

}  // namespace bobbin::plan
