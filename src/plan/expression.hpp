// SPDX-License-Identifier: Apache-2.0
// Numbers computed from columns: a program in postfix order. Each step has a type that holds its values and
// is at least as wide as those of its operands. Integers are exact: where 64 bits may not be enough, steps
// have 128, and overflow is reported.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/types.hpp"

namespace bobbin::plan {

enum class NumberType : uint8_t { i32, i64, i128, f64 };

struct Expression {
  enum class Op : uint8_t {
    column,    // the value of a column
    constant,  // `integer`, or `real` if the type is f64
    negate,
    add,  // the two previous values
    subtract,
    multiply,
    to_real,  // an integer, rounded to a double, then divided by `real`, a power of ten
  };
  struct Step {
    Op op{};
    NumberType type{};
    uint32_t column = 0;
    Int128 integer = 0;
    double real = 0;

    friend bool operator==(const Step&, const Step&) = default;
  };

  std::vector<Step> steps;
  uint32_t bits = 64;  // integers have at most as many, with their sign

  [[nodiscard]] NumberType type() const { return steps.back().type; }
  [[nodiscard]] bool is_real() const { return type() == NumberType::f64; }
  // Whether a step has 128 bits.
  [[nodiscard]] bool is_wide() const;
  // Different ones, ascending.
  [[nodiscard]] std::vector<uint32_t> columns() const;

  friend bool operator==(const Expression&, const Expression&) = default;
};

// Two expressions, compared: both are integers, or both are reals.
struct Comparison {
  Expression left;
  Compare op{};
  Expression right;
  bool negated = false;  // a null satisfies neither

  [[nodiscard]] bool is_wide() const { return left.is_wide() || right.is_wide(); }
  [[nodiscard]] std::vector<uint32_t> columns() const;

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// The values that an integer may have.
struct Bounds {
  Int128 least = 0;
  Int128 greatest = 0;
};
// The narrowest type that holds all of these values.
[[nodiscard]] NumberType type_for(const Bounds& bounds);
// The number of bits that these values need, with the sign.
[[nodiscard]] uint32_t bits_for(const Bounds& bounds);
// Bounds of an operation's result. If it may exceed 128 bits, they are the bounds of 128-bit integers.
[[nodiscard]] Bounds bounds_of(Expression::Op op, const Bounds& a, const Bounds& b);

}  // namespace bobbin::plan
