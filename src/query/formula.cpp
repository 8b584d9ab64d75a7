// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "bobbin/query.hpp"
#include "query/text.hpp"
#include "query/tokens.hpp"

namespace bobbin::query {
namespace {

Formula two(Expression::Kind kind, Formula a, Formula b) {
  Expression made{.kind = kind};
  made.operands.push_back(std::move(a.expression));
  made.operands.push_back(std::move(b.expression));
  return made;
}

AggregateSpec aggregate_of(AggregateSpec::Kind kind, Formula of) {
  AggregateSpec made{.kind = kind};
  if (of.expression.kind == Expression::Kind::column) {
    made.column = std::move(of.expression.column);
  } else {
    made.expression = std::move(of.expression);
  }
  return made;
}

// Quoted unless the name alone would be read as a name.
std::string name_text(const std::string& name) {
  const auto token = next_token(name, 0);
  const bool plain =
      token.has_value() && token->kind == Token::Kind::word && token->source == name &&
      !token->is_reserved() &&
      std::ranges::none_of(std::initializer_list<const char*>{"inf", "nan", "true", "false", "distinct"},
                           [&](const char* word) { return token->is_keyword(word); });
  if (plain) {
    return name;
  }
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

// What an operand of an operator needs no parentheses for: its own operator binds at least as strongly.
int strength(Expression::Kind kind) {
  switch (kind) {
    case Expression::Kind::add:
    case Expression::Kind::subtract:
      return 1;
    case Expression::Kind::multiply:
      return 2;
    case Expression::Kind::negate:
      return 3;
    case Expression::Kind::column:
    case Expression::Kind::constant:
      break;
  }
  return 4;
}

std::string operand_text(const Expression& operand, int least) {
  const std::string text = to_string(operand);
  return strength(operand.kind) < least ? "(" + text + ")" : text;
}

std::string constant_text(const Literal& constant) {
  return constant.kind == Literal::Kind::real && !constant.text.empty() ? constant.text : to_text(constant);
}

}  // namespace

Formula operator+(Formula a, Formula b) {
  return two(Expression::Kind::add, std::move(a), std::move(b));
}

Formula operator-(Formula a, Formula b) {
  return two(Expression::Kind::subtract, std::move(a), std::move(b));
}

Formula operator*(Formula a, Formula b) {
  return two(Expression::Kind::multiply, std::move(a), std::move(b));
}

Formula operator-(Formula a) {
  Expression made{.kind = Expression::Kind::negate};
  made.operands.push_back(std::move(a.expression));
  return made;
}

AggregateSpec count(Formula of) {
  return aggregate_of(AggregateSpec::Kind::count, std::move(of));
}

AggregateSpec sum(Formula of) {
  return aggregate_of(AggregateSpec::Kind::sum, std::move(of));
}

AggregateSpec min(Formula of) {
  return aggregate_of(AggregateSpec::Kind::min, std::move(of));
}

AggregateSpec max(Formula of) {
  return aggregate_of(AggregateSpec::Kind::max, std::move(of));
}

AggregateSpec avg(Formula of) {
  return aggregate_of(AggregateSpec::Kind::avg, std::move(of));
}

// Operators of the same strength are read from the left.
std::string to_string(const Expression& expression) {
  const auto& operands = expression.operands;
  const auto two_text = [&](const char* symbol) {
    const int own = strength(expression.kind);
    return operands.size() != 2 ? "?"
                                : fmt::format("{} {} {}", operand_text(operands[0], own), symbol,
                                              operand_text(operands[1], own + 1));
  };
  switch (expression.kind) {
    case Expression::Kind::column:
      return name_text(expression.column);
    case Expression::Kind::constant:
      return expression.constant.has_value() ? constant_text(*expression.constant) : "?";
    case Expression::Kind::negate:
      // A minus sign and a number would be one constant.
      return operands.size() != 1                             ? "?"
             : operands[0].kind == Expression::Kind::constant ? "-(" + to_string(operands[0]) + ")"
                                                              : "-" + operand_text(operands[0], 3);
    case Expression::Kind::add:
      return two_text("+");
    case Expression::Kind::subtract:
      return two_text("-");
    case Expression::Kind::multiply:
      break;
  }
  return two_text("*");
}

}  // namespace bobbin::query
