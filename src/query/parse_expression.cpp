// SPDX-License-Identifier: Apache-2.0
#include "query/parse_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "query/place.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

// Operators in one expression: chains of them are trees of that depth.
constexpr int kMaxOperations = 100;
constexpr std::string_view kNumber = "a number, a column's name or '('";

// Parses an integer of up to 128 bits with a sign; empty if it is larger.
std::optional<Int128> to_integer(std::string_view digits, bool negative) {
  constexpr Int128 kMost = (Int128{1} << 126) - 1 + (Int128{1} << 126);
  Int128 value = 0;  // kept negative: there is one more negative value
  for (const char c : digits) {
    const int digit = c - '0';
    if (value < (-kMost - 1 + digit) / 10) {
      return std::nullopt;
    }
    value = value * 10 - digit;
  }
  if (!negative && value < -kMost) {
    return std::nullopt;
  }
  return negative ? value : -value;
}

Expression constant_of(Literal literal) {
  return {.kind = Expression::Kind::constant, .constant = std::move(literal)};
}

}  // namespace

Formula formula_of(const ParsedOperand& operand) {
  return std::visit([](const auto& one) { return Formula(one); }, operand);
}

Status ExpressionParser::expected(std::string_view what, const Token& found) const {
  return error_at(text_, found.position, fmt::format("expected {}, found {}", what, found.shown()));
}

Status ExpressionParser::check_not_function() const {
  if (token_.kind != Token::Kind::word || token_.is_reserved() || !is_followed_by("(")) {
    return {};
  }
  constexpr std::string_view kAggregates[] = {"count", "sum", "min", "max", "avg"};
  const bool aggregate =
      std::ranges::any_of(kAggregates, [&](std::string_view name) { return token_.is_keyword(name); });
  return error_at(
      text_, token_.position,
      aggregate ? fmt::format("aggregates such as {}() are not possible here", token_.source)
                : fmt::format("function {} is not supported; expressions have columns, numbers, +, - and *",
                              single_quoted(token_.source)));
}

Status ExpressionParser::check_depth(int depth) const {
  return depth < kMaxNesting
             ? Status()
             : error_at(text_, token_.position, fmt::format("nested more than {} deep", kMaxNesting));
}

Result<std::string> ExpressionParser::name(std::string_view what) {
  if (!at_name()) {
    return expected(what);
  }
  std::string found = std::move(token_.value);
  BOBBIN_TRY(advance());
  return found;
}

bool ExpressionParser::at_literal() const {
  return token_.kind == Token::Kind::text || token_.kind == Token::Kind::number ||
         token_.is_keyword("true") || token_.is_keyword("false") || token_.is_keyword("nan") ||
         token_.is_keyword("inf");
}

Result<ParsedOperand> ExpressionParser::operand(std::string_view what, int depth) {
  if (token_.kind == Token::Kind::text || token_.is_keyword("true") || token_.is_keyword("false")) {
    BOBBIN_ASSIGN(Literal constant, literal(what));
    return ParsedOperand(std::move(constant));
  }
  operations_ = 0;
  BOBBIN_ASSIGN(Expression parsed, sum(what, depth));
  switch (parsed.kind) {
    case Expression::Kind::column:
      return ParsedOperand(ColumnName(std::move(parsed.column)));
    case Expression::Kind::constant:
      return ParsedOperand(std::move(*parsed.constant));
    default:
      return ParsedOperand(std::move(parsed));
  }
}

bool ExpressionParser::at_computed() const {
  constexpr std::string_view kComparing[] = {"<", "<=", ">", ">=", "=", "==", "!=", "<>", ","};
  int open = 0;
  Token token = token_;
  do {
    open += token.is_symbol("(") ? 1 : token.is_symbol(")") ? -1 : 0;
    if (open == 0) {
      return true;
    }
    const bool compares =
        std::ranges::any_of(kComparing, [&](std::string_view symbol) { return token.is_symbol(symbol); });
    if (compares || token.is_reserved() || token.kind == Token::Kind::end || open > kMaxNesting) {
      return false;
    }
    auto next = next_token(text_, token.position + token.source.size());
    if (!next.has_value()) {
      return false;
    }
    token = std::move(*next);
  } while (true);
}

Result<Expression> ExpressionParser::two(Expression::Kind kind, Expression left, Expression right) {
  BOBBIN_RETURN_IF(++operations_ > kMaxOperations, StatusCode::invalid_argument,
                   fmt::format("an expression has more than {} operators", kMaxOperations));
  Expression made{.kind = kind};
  made.operands.push_back(std::move(left));
  made.operands.push_back(std::move(right));
  return made;
}

Result<Expression> ExpressionParser::sum(std::string_view what, int depth) {
  BOBBIN_ASSIGN(Expression parsed, product(what, depth));
  while (token_.is_symbol("+") || token_.is_symbol("-")) {
    const auto kind = token_.is_symbol("+") ? Expression::Kind::add : Expression::Kind::subtract;
    BOBBIN_TRY(advance());
    BOBBIN_ASSIGN(Expression next, product(kNumber, depth));
    BOBBIN_ASSIGN(parsed, two(kind, std::move(parsed), std::move(next)));
  }
  return parsed;
}

Result<Expression> ExpressionParser::product(std::string_view what, int depth) {
  BOBBIN_ASSIGN(Expression parsed, factor(what, depth));
  while (taken_symbol("*")) {
    BOBBIN_ASSIGN(Expression next, factor(kNumber, depth));
    BOBBIN_ASSIGN(parsed, two(Expression::Kind::multiply, std::move(parsed), std::move(next)));
  }
  BOBBIN_TRY(failure_);
  return parsed;
}

Result<Expression> ExpressionParser::factor(std::string_view what, int depth) {
  BOBBIN_TRY(check_depth(depth));
  if (taken_symbol("(")) {
    BOBBIN_ASSIGN(Expression parsed, sum(kNumber, depth + 1));
    BOBBIN_TRY(expect_symbol(")", "an operator or ')'"));
    return parsed;
  }
  BOBBIN_TRY(failure_);
  const bool negative = token_.is_symbol("-");
  if (negative || token_.is_symbol("+")) {
    BOBBIN_TRY(advance());
    if (at_literal()) {
      BOBBIN_ASSIGN(Literal found, number(negative, what));
      BOBBIN_TRY(advance());
      return constant_of(std::move(found));
    }
    BOBBIN_ASSIGN(Expression parsed, factor(kNumber, depth + 1));
    if (!negative) {
      return parsed;
    }
    Expression made{.kind = Expression::Kind::negate};
    made.operands.push_back(std::move(parsed));
    return made;
  }
  if (at_literal()) {
    BOBBIN_ASSIGN(Literal found, number(false, what));
    BOBBIN_TRY(advance());
    return constant_of(std::move(found));
  }
  BOBBIN_TRY(check_not_function());
  BOBBIN_ASSIGN(std::string column, name(what));
  return Expression{.kind = Expression::Kind::column, .column = std::move(column)};
}

Result<Literal> ExpressionParser::literal(std::string_view what) {
  if (token_.kind == Token::Kind::text) {
    Literal text(std::move(token_.value));
    BOBBIN_TRY(advance());
    return text;
  }
  if (!token_.is_keyword("true") && !token_.is_keyword("false")) {
    return expected(what);
  }
  const bool truth = token_.is_keyword("true");
  BOBBIN_TRY(advance());
  return Literal(truth);
}

Result<Literal> ExpressionParser::number(bool negative, std::string_view what) const {
  const auto with_sign = [&](double value) { return Literal(negative ? -value : value); };
  if (token_.is_keyword("nan")) {
    return with_sign(std::numeric_limits<double>::quiet_NaN());
  }
  if (token_.is_keyword("inf")) {
    return with_sign(std::numeric_limits<double>::infinity());
  }
  if (token_.kind != Token::Kind::number) {
    return expected(what);
  }
  const std::string_view digits = token_.source;
  if (digits.find_first_not_of("0123456789") == std::string_view::npos) {
    if (const std::optional<Int128> value = to_integer(digits, negative); value.has_value()) {
      return Literal(*value);
    }
  }
  return literal_of_digits((negative ? "-" : "") + std::string(digits));
}

}  // namespace bobbin::query
