// SPDX-License-Identifier: Apache-2.0
#include "query/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/digits.hpp"
#include "core/dispatch.hpp"
#include "plan/query_input.hpp"
#include "query/bind.hpp"
#include "query/place.hpp"
#include "query/ranges.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

using plan::Bounds;
using plan::NumberType;
using Op = plan::Expression::Op;
using Step = plan::Expression::Step;

constexpr int kMaxExpressionDepth = 500;

// A part of an expression.
struct Part {
  std::vector<Step> steps{};
  Bounds bounds{};     // of integers
  uint32_t scale = 0;  // digits after the point
  bool has_column = false;
  // A number that no decimal within the limits is. Beside integers and decimals, it can only be compared.
  std::optional<Literal> unrepresented{};

  [[nodiscard]] bool is_real() const { return steps.back().type == NumberType::f64; }
  [[nodiscard]] bool is_constant() const { return steps.size() == 1 && steps[0].op == Op::constant; }
};

// The type of an operation: no narrower than that of its operands, so that they are only ever widened.
NumberType type_of(const Bounds& bounds, const Part& a, const Part& b) {
  return std::max({plan::type_for(bounds), a.steps.back().type, b.steps.back().type});
}

Status invalid(std::string message) {
  return {StatusCode::invalid_argument, std::move(message)};
}

Part integer_part(Int128 value, uint32_t scale) {
  const Bounds bounds{value, value};
  return {.steps = {{.op = Op::constant, .type = plan::type_for(bounds), .integer = value}},
          .bounds = bounds,
          .scale = scale};
}

Column decimal_column(uint32_t scale) {
  return {.name = {},
          .type = DType::i64,
          .logical = {.kind = Logical::Kind::decimal, .scale = static_cast<uint8_t>(scale)}};
}

Status too_many_digits(const Literal& number) {
  const Expression constant{.kind = Expression::Kind::constant, .constant = number};
  return invalid(
      fmt::format("{} has too many digits to calculate with integers and decimals: at most {} after "
                  "the point and 30 before it are supported",
                  to_string(constant), Logical::kMaxScale));
}

Part real_part(double value) {
  return {.steps = {{.op = Op::constant, .type = NumberType::f64, .real = value}}};
}

bool is_number(const Column& column) {
  return !is_string(column.type) &&
         (column.logical.kind == Logical::Kind::plain || column.logical.kind == Logical::Kind::decimal);
}

// A date without quotes is read as two subtractions. The date, if the expression is one; otherwise empty.
std::string unquoted_date(const Expression& expression) {
  const auto part = [](const Expression& operand, Int128 most) -> std::optional<int64_t> {
    const bool integer = operand.kind == Expression::Kind::constant && operand.constant.has_value() &&
                         operand.constant->kind == Literal::Kind::integer;
    return integer && operand.constant->integer >= 1 && operand.constant->integer <= most
               ? std::optional(static_cast<int64_t>(operand.constant->integer))
               : std::nullopt;
  };
  constexpr auto kMinus = Expression::Kind::subtract;
  if (expression.kind != kMinus || expression.operands.size() != 2 || expression.operands[0].kind != kMinus ||
      expression.operands[0].operands.size() != 2) {
    return "";
  }
  const auto year = part(expression.operands[0].operands[0], 9999);
  const auto month = part(expression.operands[0].operands[1], 12);
  const auto day = part(expression.operands[1], 31);
  return year && month && day ? fmt::format("{:04}-{:02}-{:02}", *year, *month, *day) : "";
}

class ExpressionBinder {
 public:
  ExpressionBinder(const Reader& reader, const FindBounds& find) : reader_(reader), find_(find) {}

  Result<Part> bind(const Expression& expression, int depth) {
    const size_t operands = expression.kind == Expression::Kind::column     ? 0
                            : expression.kind == Expression::Kind::constant ? 0
                            : expression.kind == Expression::Kind::negate   ? 1
                                                                            : 2;
    if (depth > kMaxExpressionDepth || expression.operands.size() != operands) {
      return invalid(depth > kMaxExpressionDepth
                         ? fmt::format("an expression is nested more than {} deep", kMaxExpressionDepth)
                         : "an expression lacks its operands");
    }
    switch (expression.kind) {
      case Expression::Kind::column:
        return column(expression.column);
      case Expression::Kind::constant:
        return expression.constant.has_value() ? constant(*expression.constant)
                                               : invalid("an expression lacks its operands");
      case Expression::Kind::negate: {
        BOBBIN_ASSIGN(Part part, bind(expression.operands[0], depth + 1));
        return negated(std::move(part));
      }
      default:
        break;
    }
    BOBBIN_ASSIGN(Part a, bind(expression.operands[0], depth + 1));
    BOBBIN_ASSIGN(Part b, bind(expression.operands[1], depth + 1));
    const Op op = expression.kind == Expression::Kind::add        ? Op::add
                  : expression.kind == Expression::Kind::subtract ? Op::subtract
                                                                  : Op::multiply;
    return two(op, std::move(a), std::move(b));
  }

  // Makes both of one kind: reals, or integers of the same scale.
  static Status align(Part& a, Part& b) {
    if (a.is_real() || b.is_real()) {
      to_real(a);
      to_real(b);
      return {};
    }
    const uint32_t scale = std::max(a.scale, b.scale);
    to_scale(a, scale);
    to_scale(b, scale);
    return {};
  }

 private:
  Result<Part> column(const std::string& name) const {
    BOBBIN_ASSIGN(const uint32_t index, find_column(reader_, name));
    const Column& column = reader_.columns()[index];
    if (!is_number(column)) {
      return invalid(fmt::format("column {} holds {}: expressions require numeric columns",
                                 single_quoted(name), type_text(column)));
    }
    Part part{.has_column = true};
    if (is_float(column.type)) {
      part.steps.push_back({.op = Op::column, .type = NumberType::f64, .column = index});
      return part;
    }
    part.bounds = find_ ? find_(index) : bounds_of(column.type);
    part.scale = column.logical.scale;
    part.steps.push_back({.op = Op::column, .type = plan::type_for(part.bounds), .column = index});
    return part;
  }

  // A number with a point is the decimal that it is written as.
  static Result<Part> constant(const Literal& literal) {
    if (literal.kind == Literal::Kind::integer) {
      return integer_part(literal.integer, 0);
    }
    if (literal.kind != Literal::Kind::real) {
      return invalid(fmt::format("the {} {} is not a number", kind_text(literal), to_text(literal)));
    }
    for (uint32_t scale = 0; scale <= Logical::kMaxScale; ++scale) {
      BOBBIN_ASSIGN(const Place place, place_in(decimal_column(scale), literal));
      if (!place.is_nan && place.floor == place.ceil && place.floor < kFar && place.floor > -kFar) {
        Part part = integer_part(place.floor, scale);
        part.steps[0].real = literal.real;  // if it becomes a real
        return part;
      }
    }
    Part part = real_part(literal.real);
    if (std::isfinite(literal.real) || !literal.text.empty()) {
      part.unrepresented = literal;
    }
    return part;
  }

  static Result<Part> negated(Part part) {
    if (!part.is_real()) {
      part.bounds = plan::bounds_of(Op::negate, part.bounds, part.bounds);
    }
    part.steps.push_back(
        {.op = Op::negate, .type = part.is_real() ? NumberType::f64 : type_of(part.bounds, part, part)});
    return part;
  }

  static Result<Part> two(Op op, Part a, Part b) {
    BOBBIN_TRY(check_digits(a, b));
    BOBBIN_TRY(check_digits(b, a));
    const bool reals = a.is_real() || b.is_real();
    if (reals || op != Op::multiply) {
      BOBBIN_TRY(align(a, b));
    }
    const uint32_t scale = op == Op::multiply ? a.scale + b.scale : a.scale;
    if (!reals && scale > Logical::kMaxScale) {
      return invalid(fmt::format("a product has {} digits after the point: at most {} are supported", scale,
                                 Logical::kMaxScale));
    }
    Part made = std::move(a);
    made.has_column = made.has_column || b.has_column;
    made.unrepresented = made.has_column                  ? std::nullopt
                         : made.unrepresented.has_value() ? made.unrepresented
                                                          : b.unrepresented;
    made.scale = reals ? 0 : scale;
    made.bounds = reals ? Bounds{} : plan::bounds_of(op, made.bounds, b.bounds);
    const NumberType type = reals ? NumberType::f64 : type_of(made.bounds, made, b);
    made.steps.insert(made.steps.end(), b.steps.begin(), b.steps.end());
    made.steps.push_back({.op = op, .type = type});
    return made;
  }

  // Rounding the number to a double would make doubles of values that are exact.
  static Status check_digits(const Part& part, const Part& other) {
    return part.unrepresented.has_value() && other.has_column && !other.is_real()
               ? too_many_digits(*part.unrepresented)
               : Status();
  }

  static void to_real(Part& part) {
    if (part.is_real()) {
      return;
    }
    const double divisor = static_cast<double>(kPowersOfTen[part.scale]);
    if (part.is_constant()) {
      const double real = part.scale == 0 ? static_cast<double>(part.steps[0].integer) : part.steps[0].real;
      part = real_part(real);
      return;
    }
    part.steps.push_back({.op = Op::to_real, .type = NumberType::f64, .real = divisor});
    part.scale = 0;
  }

  static void to_scale(Part& part, uint32_t scale) {
    if (part.scale == scale) {
      return;
    }
    const auto power = static_cast<Int128>(kPowersOfTen[scale - part.scale]);
    const Part factor = integer_part(power, 0);
    const Bounds bounds = plan::bounds_of(Op::multiply, part.bounds, factor.bounds);
    if (part.is_constant() && plan::type_for(bounds) != NumberType::i128) {
      part = integer_part(part.steps[0].integer * power, scale);
      return;
    }
    const NumberType type = type_of(bounds, part, factor);
    part.steps.push_back(factor.steps[0]);
    part.steps.push_back({.op = Op::multiply, .type = type});
    part.bounds = bounds;
    part.scale = scale;
  }

  const Reader& reader_;
  const FindBounds& find_;
};

// A column that holds no numbers, compared with a date that lacks its quotes.
Status check_dates(const Reader& reader, const Expression& tested, const Expression& other) {
  const std::string date = unquoted_date(other);
  if (date.empty() || tested.kind != Expression::Kind::column) {
    return {};
  }
  BOBBIN_ASSIGN(const uint32_t index, find_column(reader, tested.column));
  const Column& column = reader.columns()[index];
  return is_number(column)
             ? Status()
             : invalid(fmt::format("column {} holds {}: dates are written in single quotes: '{}'",
                                   single_quoted(column.name), type_text(column), date));
}

bool fits_launch(bool wide, size_t columns) {
  return !wide && columns < plan::kMaxColumns;  // and a bitmap
}

std::string_view symbol_of(Compare op) {
  switch (op) {
    case Compare::eq:
      return "=";
    case Compare::ne:
      return "!=";
    case Compare::lt:
      return "<";
    case Compare::le:
      return "<=";
    case Compare::gt:
      return ">";
    case Compare::ge:
      break;
  }
  return ">=";
}

// The same test of integers with one of them, instead of with a number that is none.
struct ExactTest {
  Compare op = Compare::eq;
  Int128 integer = 0;
};
ExactTest exact_test(const Part& tested, Compare op, const Literal& number) {
  const Place place = place_in_128_bits(number, tested.scale);
  const auto& [least, greatest] = tested.bounds;
  const bool above_all = op == Compare::lt || op == Compare::le ? place.floor < least : op == Compare::eq;
  const bool below_all = op == Compare::gt || op == Compare::ge ? place.floor < least : op == Compare::ne;
  if (above_all || below_all) {
    return ExactTest{above_all ? Compare::lt : Compare::ge, least};  // none of them, or all
  }
  return ExactTest{op == Compare::lt || op == Compare::le ? Compare::le : Compare::gt,
                   std::min(place.floor, greatest)};
}

// Replaces a number that cannot be a decimal, if it is compared with integers or decimals.
Status make_exact(const Part& tested, Compare& op, Part& number) {
  if (!number.unrepresented.has_value() || tested.is_real()) {
    return {};
  }
  if (!number.is_constant()) {
    return too_many_digits(*number.unrepresented);
  }
  const ExactTest exact = exact_test(tested, op, *number.unrepresented);
  op = exact.op;
  number = integer_part(exact.integer, tested.scale);
  return {};
}

}  // namespace

Bounds bounds_of(DType type) {
  return visit_integer(type, []<class T>(std::type_identity<T>) {
    return Bounds{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  });
}

bool fits_launch(const plan::Expression& expression) {
  return fits_launch(expression.is_wide(), expression.columns().size());
}

bool fits_launch(const plan::Comparison& comparison) {
  return fits_launch(comparison.is_wide(), comparison.columns().size());
}

Result<BoundExpression> bind_expression(const Reader& reader, const Expression& expression,
                                        const FindBounds& find) {
  BOBBIN_ASSIGN(Part part, ExpressionBinder(reader, find).bind(expression, 0));
  const std::string text = to_string(expression);
  if (!part.has_column) {
    return invalid(fmt::format("{} has no column", text));
  }
  const ColumnType type{
      part.is_real() ? DType::f64 : DType::i64,
      part.scale == 0 ? Logical()
                      : Logical{.kind = Logical::Kind::decimal, .scale = static_cast<uint8_t>(part.scale)}};
  const uint32_t bits = part.is_real() ? 64 : plan::bits_for(part.bounds);
  return BoundExpression{{std::move(part.steps), bits}, type, text};
}

Result<BoundComparison> bind_comparison(const Reader& reader, const Predicate& predicate, bool negated,
                                        const FindBounds& find) {
  if (predicate.expressions.size() != 2) {
    return invalid("a comparison of expressions lacks its operands");
  }
  BOBBIN_TRY(check_dates(reader, predicate.expressions[0], predicate.expressions[1]));
  BOBBIN_TRY(check_dates(reader, predicate.expressions[1], predicate.expressions[0]));
  ExpressionBinder binder(reader, find);
  BOBBIN_ASSIGN(Part left, binder.bind(predicate.expressions[0], 0));
  BOBBIN_ASSIGN(Part right, binder.bind(predicate.expressions[1], 0));
  std::string text = fmt::format("{} {} {}", to_string(predicate.expressions[0]), symbol_of(predicate.op),
                                 to_string(predicate.expressions[1]));
  if (!left.has_column && !right.has_column) {
    return invalid(fmt::format("{} has no column", text));
  }
  Compare op = predicate.op;
  if (left.unrepresented.has_value()) {
    std::swap(left, right);
    op = mirrored(op);
  }
  BOBBIN_TRY(make_exact(left, op, right));
  BOBBIN_TRY(ExpressionBinder::align(left, right));
  return BoundComparison{{{std::move(left.steps)}, op, {std::move(right.steps)}, negated}, std::move(text)};
}

}  // namespace bobbin::query
