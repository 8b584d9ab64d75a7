// SPDX-License-Identifier: Apache-2.0
// Constants, and numbers computed from the columns of a row: + - * and a minus sign.
//
//   using namespace bobbin;
//   const query::Formula revenue = query::col("price") * (1 - query::col("discount"));
//
// Integers and decimals are exact: a product has as many digits after the point as both factors together, a
// sum as many as the operand with more. There may be 18 digits after the point, and 128 bits in all; a
// result beyond that is an error. Constants with a point are decimals: 1.05 has two digits.
//
// An operation with a float is computed in double precision, in the order in which it is written. The other
// operand is rounded to the nearest double first; for a decimal, its stored integer is rounded, then divided
// by the power of ten.
//
// A result is null if any operand is null. Strings, booleans, dates and times are not numbers.
//
// Threads: formulas are plain values, which any number of threads may read at the same time.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/types.hpp"

namespace bobbin::query {

// A constant to compare with.
struct Literal {
  enum class Kind : uint8_t { integer, real, text, boolean };

  Literal(std::integral auto value)
      : kind(std::same_as<decltype(value), bool> ? Kind::boolean : Kind::integer), integer(value) {}
  Literal(Int128 value) : kind(Kind::integer), integer(value) {}
  Literal(std::floating_point auto value) : kind(Kind::real), real(static_cast<double>(value)) {}
  Literal(std::string value) : kind(Kind::text), text(std::move(value)) {}
  Literal(std::string_view value) : Literal(std::string(value)) {}
  Literal(const char* value) : Literal(std::string(value)) {}

  Kind kind;
  Int128 integer = 0;  // for booleans: 0 or 1
  double real = 0;
  std::string text;  // for a real: its digits as written, if the double alone would compare differently

  friend bool operator==(const Literal&, const Literal&) = default;
};

// A tree of operations. Made by operators of Formula, by parse_aggregates() and parse_predicate(), or by
// hand; whether columns exist and are numbers is checked when a query runs.
struct Expression {
  enum class Kind : uint8_t { column, constant, negate, add, subtract, multiply };

  Kind kind{};
  std::string column{};                // for column
  std::optional<Literal> constant{};   // for constant
  std::vector<Expression> operands{};  // one for negate, two for add, subtract and multiply

  friend bool operator==(const Expression&, const Expression&) = default;
};

// An expression, used to build aggregates and tests. Comparisons with it make a Predicate (query.hpp).
struct BOBBIN_API Formula {
  Formula(Expression made) : expression(std::move(made)) {}
  Formula(const Literal& constant) : expression{.kind = Expression::Kind::constant, .constant = constant} {}
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  Formula(Number constant) : Formula(Literal(constant)) {}

  Expression expression;
};

[[nodiscard]] BOBBIN_API Formula operator+(Formula a, Formula b);
[[nodiscard]] BOBBIN_API Formula operator-(Formula a, Formula b);
[[nodiscard]] BOBBIN_API Formula operator*(Formula a, Formula b);
[[nodiscard]] BOBBIN_API Formula operator-(Formula a);

// As it can be parsed again: "price * (1 - discount)".
[[nodiscard]] BOBBIN_API std::string to_string(const Expression& expression);

}  // namespace bobbin::query
