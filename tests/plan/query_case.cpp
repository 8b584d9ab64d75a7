// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/query_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/scalar.hpp"
#include "tests/codecs/cascades.hpp"

namespace bobbin::testing {
namespace {

using plan::Aggregate;
using plan::Condition;
using plan::Fold;
using plan::QueryPath;
using plan::Total;

bool passes(const QueryCase& c, uint64_t row) {
  std::vector<bool> stack;
  for (const Condition& condition : c.filter) {
    switch (condition.kind) {
      case Condition::Kind::test: {
        const PlainColumn& column = c.columns[condition.column];
        stack.push_back(!column.is_null(row) && condition.range.holds(column.array.type, column.at(row)));
        break;
      }
      case Condition::Kind::member: {
        const PlainColumn& column = c.columns[condition.column];
        const uint64_t code = column.is_null(row) ? 0 : column.at(row).bits;
        stack.push_back(!column.is_null(row) &&
                        condition.passes[std::min<uint64_t>(code, condition.passes.size() - 1)] != 0);
        break;
      }
      case Condition::Kind::compare: {
        const plan::Comparison& comparison = *condition.comparison;
        stack.push_back(
            !c.has_null(comparison.columns(), row) &&
            holds(comparison, c.numbers, [&](uint32_t column) { return c.columns[column].at(row); }));
        break;
      }
      case Condition::Kind::is_null:
        stack.push_back(c.columns[condition.column].is_null(row));
        break;
      case Condition::Kind::not_null:
        stack.push_back(!c.columns[condition.column].is_null(row));
        break;
      default: {
        const bool second = stack.back();
        stack.pop_back();
        stack.back() =
            condition.kind == Condition::Kind::both ? stack.back() && second : stack.back() || second;
      }
    }
  }
  return stack.empty() || stack.back();
}

double real_at(const PlainColumn& column, uint64_t row) {
  return column.array.type == DType::f32 ? value_of<float>(column.at(row)) : value_of<double>(column.at(row));
}

// The order of additions defined in plan/values.hpp, written in the obvious way. `terms` has at most 1024
// items; excluded ones are absent.
double sum_of_vector(const std::vector<std::optional<double>>& terms) {
  std::array<double, 32> chains{};
  for (uint32_t p = 0; p < 32; ++p) {
    std::array<double, 2> halves{};
    for (size_t i = p; i < terms.size(); i += 32) {
      if (terms[i].has_value()) {
        halves[i / 512] += *terms[i];
      }
    }
    chains[p] = halves[0] + halves[1];
  }
  for (uint32_t distance = 16; distance != 0; distance /= 2) {
    for (uint32_t p = 0; p < distance; ++p) {
      chains[p] += chains[p + distance];
    }
  }
  return chains[0];
}

double sum_of(std::vector<std::optional<double>> terms) {
  if (terms.empty()) {
    return 0;
  }
  do {
    std::vector<std::optional<double>> sums;
    for (size_t first = 0; first < terms.size(); first += 1024) {
      const auto begin = terms.begin() + static_cast<std::ptrdiff_t>(first);
      sums.emplace_back(sum_of_vector(
          {begin, begin + static_cast<std::ptrdiff_t>(std::min<size_t>(1024, terms.size() - first))}));
    }
    terms = std::move(sums);
  } while (terms.size() > 1);
  return *terms[0];
}

Total expected_computed(const QueryCase& c, const Aggregate& aggregate, const std::vector<bool>& rows) {
  const plan::Expression& expression = *aggregate.expression;
  const DType type = expression.is_real() ? DType::f64 : DType::i64;
  const std::vector<uint32_t> columns = expression.columns();
  Total total;
  std::vector<std::optional<double>> terms(c.offset());
  for (uint64_t row = 0; row < c.length(); ++row) {
    terms.emplace_back();
    if (!rows[row] || c.has_null(columns, row)) {
      continue;
    }
    ++total.count;
    const Number number =
        evaluate(expression, c.numbers, [&](uint32_t column) { return c.columns[column].at(row); });
    if (aggregate.fold == Fold::sum && expression.is_real()) {
      terms.back() = number.real;
    } else if (aggregate.fold == Fold::sum) {
      total.sum += number.integer;
    } else if (aggregate.fold == Fold::extremes && !std::isnan(number.real)) {
      const Scalar value =
          expression.is_real() ? scalar_of(number.real) : scalar_of(static_cast<int64_t>(number.integer));
      total.least = !total.least.has_value() || less(type, value, *total.least) ? value : *total.least;
      total.greatest =
          !total.greatest.has_value() || less(type, *total.greatest, value) ? value : *total.greatest;
    }
  }
  total.real_sum = sum_of(std::move(terms));
  return total;
}

Total expected_total(const QueryCase& c, const Aggregate& aggregate, const std::vector<bool>& rows) {
  if (aggregate.expression != nullptr) {
    return expected_computed(c, aggregate, rows);
  }
  Total total;
  std::vector<std::optional<double>> terms(c.offset());
  for (uint64_t row = 0; row < c.length(); ++row) {
    terms.emplace_back();
    if (!rows[row] || (aggregate.column.has_value() && c.columns[*aggregate.column].is_null(row))) {
      continue;
    }
    ++total.count;
    if (!aggregate.column.has_value() || aggregate.fold == Fold::count) {
      continue;
    }
    const PlainColumn& column = c.columns[*aggregate.column];
    const DType type = column.array.type;
    const Scalar value = column.at(row);
    if (aggregate.fold == Fold::sum && is_float(type)) {
      terms.back() = real_at(column, row);
    } else if (aggregate.fold == Fold::sum) {
      total.sum +=
          visit_integer(type, [&]<class T>(std::type_identity<T>) { return Int128{value_of<T>(value)}; });
    } else if (!is_float(type) || !std::isnan(real_at(column, row))) {
      total.least = !total.least.has_value() || less(type, value, *total.least) ? value : *total.least;
      total.greatest =
          !total.greatest.has_value() || less(type, *total.greatest, value) ? value : *total.greatest;
    }
  }
  total.real_sum = sum_of(std::move(terms));
  return total;
}

bool same_real(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

std::vector<bool> rows_that_pass(const QueryCase& c) {
  std::vector<bool> rows(c.length());
  for (uint64_t row = 0; row < c.length(); ++row) {
    rows[row] = passes(c, row);
  }
  return rows;
}

std::string compare_totals(const QueryCase& c, const std::vector<Total>& got, const std::vector<bool>& rows) {
  for (size_t i = 0; i < c.aggregates.size(); ++i) {
    const Total want = expected_total(c, c.aggregates[i], rows);
    if (got[i].count != want.count) {
      return fmt::format("aggregate {}: {} rows instead of {}", i, got[i].count, want.count);
    }
    if (got[i].sum != want.sum || got[i].least != want.least || got[i].greatest != want.greatest) {
      return fmt::format("aggregate {}: the sum, minimum or maximum differs", i);
    }
    if (!same_real(got[i].real_sum, want.real_sum)) {
      return fmt::format("aggregate {}: a sum of {} instead of {}", i, got[i].real_sum, want.real_sum);
    }
  }
  return {};
}

std::string_view name_of_path(QueryPath path) {
  constexpr std::string_view kNames[] = {"automatic", "compiled", "interpreted", "decoded"};
  return kNames[static_cast<size_t>(path)];
}

std::string report(const QueryCase& c, std::string_view path, const Result<std::string>& result) {
  std::string problem = result.has_value() ? *result : std::string(result.error().message());
  if (problem.empty()) {
    return {};
  }
  for (const PlainColumn& column : c.columns) {
    problem += fmt::format("; {} {} of {} from {}", to_string(column.array.type), name_of(column.array),
                           column.array.length, column.array.offset);
  }
  return fmt::format("{}: {}", path, problem);
}

}  // namespace bobbin::testing
