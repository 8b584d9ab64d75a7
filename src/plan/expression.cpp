// SPDX-License-Identifier: Apache-2.0
#include "plan/expression.hpp"

#include <algorithm>
#include <limits>

namespace bobbin::plan {
namespace {

constexpr Int128 kMost = (Int128{1} << 126) - 1 + (Int128{1} << 126);
constexpr Int128 kLeast = -kMost - 1;

void add_columns(const Expression& expression, std::vector<uint32_t>& columns) {
  for (const Expression::Step& step : expression.steps) {
    if (step.op == Expression::Op::column) {
      columns.push_back(step.column);
    }
  }
  std::ranges::sort(columns);
  columns.erase(std::ranges::unique(columns).begin(), columns.end());
}

// One end of the result, or that of 128 bits.
Int128 add(Int128 a, Int128 b) {
  Int128 sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? kLeast : kMost) : sum;
}
Int128 negate(Int128 a) {
  return a == kLeast ? kMost : -a;
}
Int128 multiply(Int128 a, Int128 b) {
  Int128 product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? kLeast : kMost) : product;
}

template <class T>
bool holds(const Bounds& bounds) {
  return bounds.least >= std::numeric_limits<T>::min() && bounds.greatest <= std::numeric_limits<T>::max();
}

}  // namespace

bool Expression::is_wide() const {
  return std::ranges::any_of(steps, [](const Step& step) { return step.type == NumberType::i128; });
}

std::vector<uint32_t> Expression::columns() const {
  std::vector<uint32_t> columns;
  add_columns(*this, columns);
  return columns;
}

std::vector<uint32_t> Comparison::columns() const {
  std::vector<uint32_t> columns;
  add_columns(left, columns);
  add_columns(right, columns);
  return columns;
}

NumberType type_for(const Bounds& bounds) {
  return holds<int32_t>(bounds)   ? NumberType::i32
         : holds<int64_t>(bounds) ? NumberType::i64
                                  : NumberType::i128;
}

uint32_t bits_for(const Bounds& bounds) {
  uint32_t bits = 1;
  while (bits < 128 &&
         (bounds.least < -(Int128{1} << (bits - 1)) || bounds.greatest >= Int128{1} << (bits - 1))) {
    ++bits;
  }
  return bits;
}

Bounds bounds_of(Expression::Op op, const Bounds& a, const Bounds& b) {
  switch (op) {
    case Expression::Op::negate:
      return {negate(a.greatest), negate(a.least)};
    case Expression::Op::add:
      return {add(a.least, b.least), add(a.greatest, b.greatest)};
    case Expression::Op::subtract:
      return {add(a.least, negate(b.greatest)), add(a.greatest, negate(b.least))};
    case Expression::Op::multiply: {
      const auto [least, greatest] =
          std::minmax({multiply(a.least, b.least), multiply(a.least, b.greatest),
                       multiply(a.greatest, b.least), multiply(a.greatest, b.greatest)});
      return {least, greatest};
    }
    default:
      return a;
  }
}

}  // namespace bobbin::plan
