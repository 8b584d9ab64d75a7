// SPDX-License-Identifier: Apache-2.0
#include "plan/decide.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bobbin::plan {
namespace {

using Operation = Expression::Op;

template <class T>
struct Ends {
  T least;
  T greatest;
};

template <class T>
Truth truth_of_ends(Compare op, const Ends<T>& a, const Ends<T>& b) {
  switch (op) {
    case Compare::eq:
      return a.greatest < b.least || b.greatest < a.least     ? Truth::none
             : a.least == b.greatest && a.greatest == b.least ? Truth::all
                                                              : Truth::some;
    case Compare::ne:
      return negate(truth_of_ends(Compare::eq, a, b));
    case Compare::lt:
      return a.greatest < b.least ? Truth::all : a.least >= b.greatest ? Truth::none : Truth::some;
    case Compare::le:
      return a.greatest <= b.least ? Truth::all : a.least > b.greatest ? Truth::none : Truth::some;
    case Compare::gt:
      return truth_of_ends(Compare::lt, b, a);
    case Compare::ge:
      break;
  }
  return truth_of_ends(Compare::le, b, a);
}

// Rounding keeps the order of numbers, so that the ends of a result are results of ends.
Limits limits_of_reals(Operation op, const Limits& a, const Limits& b) {
  switch (op) {
    case Operation::negate:
      return Limits::of(-a.greatest, -a.least);
    case Operation::add:
      return Limits::of(a.least + b.least, a.greatest + b.greatest);
    case Operation::subtract:
      return Limits::of(a.least - b.greatest, a.greatest - b.least);
    default: {
      const auto [least, greatest] = std::minmax(
          {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
      return Limits::of(least, greatest);
    }
  }
}

bool is_finite(const Limits& limits) {
  return std::isfinite(limits.least) && std::isfinite(limits.greatest);
}

// Nothing if the limits of a column are not known, or a real may be infinite or a NaN.
std::optional<Limits> limits_of(const Expression& expression,
                                std::span<const std::optional<Limits>> columns) {
  constexpr size_t kMostDepth = 16;
  std::array<Limits, kMostDepth> stack;
  size_t depth = 0;
  for (const Expression::Step& step : expression.steps) {
    const bool real = step.type == NumberType::f64;
    switch (step.op) {
      case Operation::column:
      case Operation::constant:
        if (depth == kMostDepth || (step.op == Operation::column && !columns[step.column].has_value())) {
          return std::nullopt;
        }
        stack[depth++] = step.op == Operation::column ? *columns[step.column]
                         : real                       ? Limits::of(step.real, step.real)
                                                      : Limits::of(step.integer, step.integer);
        break;
      case Operation::to_real: {
        const Bounds& integers = stack[depth - 1].integers;
        stack[depth - 1] = Limits::of(static_cast<double>(integers.least) / step.real,
                                      static_cast<double>(integers.greatest) / step.real);
        break;
      }
      default: {
        depth -= step.op == Operation::negate ? 0 : 1;
        const Limits& b = stack[step.op == Operation::negate ? depth - 1 : depth];
        Limits& a = stack[depth - 1];
        a = real ? limits_of_reals(step.op, a, b) : Limits{bounds_of(step.op, a.integers, b.integers)};
      }
    }
    if (real && !is_finite(stack[depth - 1])) {
      return std::nullopt;
    }
  }
  return stack[0];
}

}  // namespace

Truth negate(Truth truth) {
  return truth == Truth::some ? truth : truth == Truth::all ? Truth::none : Truth::all;
}

Truth truth_of(Compare op, const Limits& left, const Limits& right, bool reals) {
  if (reals) {
    return is_finite(left) && is_finite(right)
               ? truth_of_ends<double>(op, {left.least, left.greatest}, {right.least, right.greatest})
               : Truth::some;
  }
  return truth_of_ends<Int128>(op, {left.integers.least, left.integers.greatest},
                               {right.integers.least, right.integers.greatest});
}

Truth truth_of(const Comparison& comparison, std::span<const std::optional<Limits>> columns) {
  if (comparison.is_wide()) {
    return Truth::some;  // a row that exceeds 128 bits is an error, which must be found
  }
  const auto left = limits_of(comparison.left, columns);
  const auto right = left.has_value() ? limits_of(comparison.right, columns) : std::nullopt;
  if (!right.has_value()) {
    return Truth::some;
  }
  const Truth truth = truth_of(comparison.op, *left, *right, comparison.left.is_real());
  return comparison.negated ? negate(truth) : truth;
}

}  // namespace bobbin::plan
