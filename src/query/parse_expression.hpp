// SPDX-License-Identifier: Apache-2.0
// What the parsers of predicates, aggregates and orders have in common: tokens one after another, names,
// constants and expressions.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "bobbin/query.hpp"
#include "query/tokens.hpp"

namespace bobbin::query {

// How deep parentheses, `not` and signs may be nested.
inline constexpr int kMaxNesting = 100;

// What is compared. An expression is neither a constant nor a column alone.
using ParsedOperand = std::variant<Literal, ColumnName, Expression>;
[[nodiscard]] Formula formula_of(const ParsedOperand& operand);

// The text of an expression that is neither a constant nor a column alone.
[[nodiscard]] Result<Expression> parse_expression(std::string_view text);

class ExpressionParser {
 protected:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Status advance() {
    BOBBIN_ASSIGN(token_, next_token(text_, token_.position + token_.source.size()));
    return {};
  }
  [[nodiscard]] Status expected(std::string_view what) const { return expected(what, token_); }
  [[nodiscard]] Status expected(std::string_view what, const Token& found) const;
  // Fails at a word with a parenthesis after it: there are no functions.
  [[nodiscard]] Status check_not_function() const;
  Status expect_end(std::string_view what) const {
    return token_.kind == Token::Kind::end ? Status() : expected(what);
  }
  Status expect_symbol(std::string_view symbol, std::string_view what) {
    return token_.is_symbol(symbol) ? advance() : expected(what);
  }
  Status expect_keyword(std::string_view keyword, std::string_view what) {
    return token_.is_keyword(keyword) ? advance() : expected(what);
  }
  // Whether the token after this one is that symbol.
  [[nodiscard]] bool is_followed_by(std::string_view symbol) const {
    const Result<Token> next = next_token(text_, token_.position + token_.source.size());
    return next.has_value() && next->is_symbol(symbol);
  }
  // Whether the token was there; if so, it is consumed. What follows may not be a valid token: then failure_
  // is set.
  bool taken_symbol(std::string_view symbol) { return token_.is_symbol(symbol) && step(); }
  bool taken_keyword(std::string_view keyword) { return token_.is_keyword(keyword) && step(); }
  bool step() {
    failure_ = advance();
    return failure_.ok();
  }

  [[nodiscard]] bool at_name() const {
    return token_.kind == Token::Kind::name || (token_.kind == Token::Kind::word && !token_.is_reserved());
  }
  Result<std::string> name(std::string_view what);
  // `what` can be there, if nothing of it is.
  Result<ParsedOperand> operand(std::string_view what, int depth);
  // Whether the parenthesis that begins here is part of an expression, rather than of a predicate: it has
  // neither comparisons nor words such as `and`.
  [[nodiscard]] bool at_computed() const;
  [[nodiscard]] Status check_depth(int depth) const;

  std::string_view text_;
  Token token_;
  Status failure_;

 private:
  Result<Expression> sum(std::string_view what, int depth);
  Result<Expression> product(std::string_view what, int depth);
  Result<Expression> factor(std::string_view what, int depth);
  Result<Expression> two(Expression::Kind kind, Expression left, Expression right);
  // A text, true or false, or a number with or without a sign.
  [[nodiscard]] bool at_literal() const;
  Result<Literal> literal(std::string_view what);
  [[nodiscard]] Result<Literal> number(bool negative, std::string_view what) const;

  int operations_ = 0;  // of the expression so far
};

}  // namespace bobbin::query
