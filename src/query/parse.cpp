// SPDX-License-Identifier: Apache-2.0
// Text to predicates, aggregates and orders.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

#include "bobbin/query.hpp"
#include "query/parse_expression.hpp"
#include "query/text.hpp"
#include "query/tokens.hpp"

namespace bobbin::query {
namespace {

constexpr std::pair<std::string_view, Compare> kOperators[] = {
    {"=", Compare::eq}, {"==", Compare::eq}, {"!=", Compare::ne}, {"<>", Compare::ne},
    {"<", Compare::lt}, {"<=", Compare::le}, {">", Compare::gt},  {">=", Compare::ge}};

constexpr std::string_view kOperand = "a number, a string in single quotes, true, false or a column's name";

class Parser : ExpressionParser {
 public:
  static Result<Parser> create(std::string_view text) {
    Parser parser(text);
    BOBBIN_TRY(parser.advance());
    return parser;
  }

  Result<Predicate> predicate() {
    BOBBIN_ASSIGN(Predicate parsed, either(0));
    BOBBIN_TRY(expect_end("'and', 'or' or the end"));
    return parsed;
  }

  Result<std::vector<AggregateSpec>> aggregates() {
    return list<AggregateSpec>("',' or the end", [&] { return aggregate(); });
  }

  Result<Expression> expression() {
    BOBBIN_ASSIGN(ParsedOperand parsed, operand(kOperand, 0));
    BOBBIN_TRY(expect_end("an operator or the end"));
    auto* const found = std::get_if<Expression>(&parsed);
    return found == nullptr ? Result<Expression>(error_at(text_, 0, "expected an expression"))
                            : std::move(*found);
  }

  Result<std::vector<OrderTerm>> order() {
    return list<OrderTerm>("'asc', 'desc', 'nulls', ',' or the end", [&] { return order_term(); });
  }

 private:
  explicit Parser(std::string_view text) : ExpressionParser(text) {}

  // Elements separated by commas, to the end of the text.
  template <class T, class F>
  Result<std::vector<T>> list(std::string_view expected_after, F&& element) {
    std::vector<T> found;
    do {
      BOBBIN_ASSIGN(T one, element());
      found.push_back(std::move(one));
    } while (taken_symbol(","));
    BOBBIN_TRY(failure_);
    BOBBIN_TRY(expect_end(expected_after));
    return found;
  }

  Result<Predicate> either(int depth) {
    BOBBIN_ASSIGN(Predicate parsed, both(depth));
    while (taken_keyword("or")) {
      BOBBIN_ASSIGN(Predicate next, both(depth));
      parsed = std::move(parsed) || std::move(next);
    }
    BOBBIN_TRY(failure_);
    return parsed;
  }

  Result<Predicate> both(int depth) {
    BOBBIN_ASSIGN(Predicate parsed, unary(depth));
    while (taken_keyword("and")) {
      BOBBIN_ASSIGN(Predicate next, unary(depth));
      parsed = std::move(parsed) && std::move(next);
    }
    BOBBIN_TRY(failure_);
    return parsed;
  }

  Result<Predicate> unary(int depth) {
    BOBBIN_TRY(check_depth(depth));
    if (taken_keyword("not")) {
      BOBBIN_ASSIGN(Predicate parsed, unary(depth + 1));
      return !std::move(parsed);
    }
    BOBBIN_TRY(failure_);
    if (token_.is_symbol("(") && !at_computed()) {
      BOBBIN_TRY(advance());
      BOBBIN_ASSIGN(Predicate parsed, either(depth + 1));
      BOBBIN_TRY(expect_symbol(")", "'and', 'or' or ')'"));
      return parsed;
    }
    return test(depth);
  }

  // Empty if the token is not an operator.
  [[nodiscard]] std::optional<Compare> comparison() const {
    for (const auto& [symbol, op] : kOperators) {
      if (token_.is_symbol(symbol)) {
        return op;
      }
    }
    return std::nullopt;
  }

  Result<Predicate> test(int depth) {
    const Token first = token_;
    BOBBIN_ASSIGN(ParsedOperand left, operand("a column's name, 'not' or '('", depth));
    const bool constant = std::holds_alternative<Literal>(left);
    // Columns may have these names: the word is a number only if a column or an expression is compared with
    // it.
    const bool may_be_name = constant && (first.is_keyword("inf") || first.is_keyword("nan"));
    if (const std::optional<Compare> op = comparison(); op.has_value()) {
      BOBBIN_TRY(advance());
      BOBBIN_TRY(check_not_null("an operator"));
      const Token start = token_;
      const bool needs_column = constant && !may_be_name;
      BOBBIN_ASSIGN(const ParsedOperand right, operand(needs_column ? "a column's name" : kOperand, depth));
      const bool constants = constant && std::holds_alternative<Literal>(right);
      if (constants && !may_be_name) {
        return expected("a column's name", start);
      }
      return compare(constants ? ColumnName(first.value) : formula_of(left), *op, formula_of(right));
    }
    if (may_be_name) {
      left = ColumnName(first.value);
    } else if (constant) {
      return expected("an operator such as '<'");
    }
    if (taken_keyword("is")) {
      return is_test(left);
    }
    BOBBIN_TRY(failure_);
    if (const auto* const column = std::get_if<ColumnName>(&left); column != nullptr && at_end_of_test()) {
      return column->compare(Compare::eq, Literal(true));
    }
    const bool negated = taken_keyword("not");
    BOBBIN_TRY(failure_);
    BOBBIN_ASSIGN(Predicate parsed, word_test(left, negated, depth));
    return negated ? !std::move(parsed) : std::move(parsed);
  }

  // After a column alone, which must then be a boolean.
  [[nodiscard]] bool at_end_of_test() const {
    return token_.kind == Token::Kind::end || token_.is_keyword("and") || token_.is_keyword("or") ||
           token_.is_symbol(")");
  }

  // `is true` is false for a null, and `is not true` true, as in SQL.
  static Predicate truth_test(const ColumnName& column, bool wanted, bool negated) {
    Predicate parsed = column.compare(Compare::eq, Literal(wanted)) && !column.is_null();
    return negated ? !std::move(parsed) : std::move(parsed);
  }

  Result<Predicate> is_test(const ParsedOperand& left) {
    const bool negated = taken_keyword("not");
    BOBBIN_TRY(failure_);
    const auto* const column = std::get_if<ColumnName>(&left);
    for (const bool wanted : {true, false}) {
      if (column != nullptr && taken_keyword(wanted ? "true" : "false")) {
        return truth_test(*column, wanted, negated);
      }
      BOBBIN_TRY(failure_);
    }
    BOBBIN_TRY(
        expect_keyword("null", negated ? "'null', 'true' or 'false'" : "'null', 'true', 'false' or 'not'"));
    Predicate parsed = is_null(formula_of(left).expression);
    return negated ? !std::move(parsed) : std::move(parsed);
  }
  // An expression is null if one of its columns is; it has at least one.
  static Predicate is_null(const Expression& expression) {
    if (expression.kind == Expression::Kind::column) {
      return ColumnName(expression.column).is_null();
    }
    std::optional<Predicate> any;
    for (const Expression& operand : expression.operands) {
      if (operand.kind != Expression::Kind::constant) {
        Predicate one = is_null(operand);
        any = any.has_value() ? *std::move(any) || std::move(one) : std::move(one);
      }
    }
    return any.has_value() ? *std::move(any) : Predicate{.kind = Predicate::Kind::either};
  }

  Result<Predicate> word_test(const ParsedOperand& left, bool negated, int depth) {
    if (taken_keyword("between")) {
      BOBBIN_ASSIGN(const ParsedOperand least, operand(kOperand, depth));
      BOBBIN_TRY(expect_keyword("and", "'and'"));
      BOBBIN_ASSIGN(const ParsedOperand greatest, operand(kOperand, depth));
      return between(left, least, greatest);
    }
    BOBBIN_TRY(failure_);
    if (taken_keyword("in")) {
      return in_list(left, depth);
    }
    BOBBIN_TRY(failure_);
    const auto* const column = std::get_if<ColumnName>(&left);
    for (const std::string_view keyword : {"like", "ilike"}) {
      if (column != nullptr && taken_keyword(keyword)) {
        return pattern(*column, keyword == "ilike");
      }
      BOBBIN_TRY(failure_);
    }
    return expected(negated ? "'between', 'in', 'like' or 'ilike'"
                            : "an operator such as '<', or 'between', 'in', 'like', 'ilike', 'is' or 'not'");
  }

  static Predicate between(const ParsedOperand& left, const ParsedOperand& least,
                           const ParsedOperand& greatest) {
    const auto* const column = std::get_if<ColumnName>(&left);
    const auto* const low = std::get_if<Literal>(&least);
    const auto* const high = std::get_if<Literal>(&greatest);
    return column != nullptr && low != nullptr && high != nullptr
               ? column->between(*low, *high)
               : compare(formula_of(left), Compare::ge, formula_of(least)) &&
                     compare(formula_of(left), Compare::le, formula_of(greatest));
  }

  // SQL's answer to a comparison with null, which is neither true nor false, is never what was meant.
  [[nodiscard]] Status check_not_null(std::string_view with) const {
    return token_.is_keyword("null")
               ? error_at(text_, token_.position,
                          fmt::format(
                              "nothing is equal to null: use 'is null' or 'is not null' instead of {}", with))
               : Status();
  }

  Result<Predicate> in_list(const ParsedOperand& left, int depth) {
    BOBBIN_TRY(expect_symbol("(", "'('"));
    const auto* const column = std::get_if<ColumnName>(&left);
    std::vector<Literal> literals;
    std::vector<ParsedOperand> others;
    do {
      BOBBIN_TRY(check_not_null("'in'"));
      BOBBIN_ASSIGN(ParsedOperand one, operand(kOperand, depth));
      if (auto* const constant = std::get_if<Literal>(&one); constant != nullptr && column != nullptr) {
        literals.push_back(std::move(*constant));
      } else {
        others.push_back(std::move(one));
      }
    } while (taken_symbol(","));
    BOBBIN_TRY(failure_);
    BOBBIN_TRY(expect_symbol(")", "',' or ')'"));
    if (others.empty()) {
      return column->in(std::move(literals));
    }
    Predicate any{.kind = Predicate::Kind::either};
    if (!literals.empty()) {
      any.parts.push_back(column->in(std::move(literals)));
    }
    std::ranges::transform(others, std::back_inserter(any.parts), [&](const ParsedOperand& other) {
      return compare(formula_of(left), Compare::eq, formula_of(other));
    });
    return any;
  }

  // The simple forms can be searched for in encoded strings.
  Result<Predicate> pattern(const ColumnName& column, bool any_case) {
    if (token_.kind != Token::Kind::text) {
      return expected("a string in single quotes");
    }
    const std::string whole = std::move(token_.value);
    BOBBIN_TRY(advance());
    if (any_case) {
      return column.ilike(whole);
    }
    std::string_view text = whole;
    const bool open_end = text.ends_with('%');
    text.remove_suffix(open_end ? 1 : 0);
    const bool open_start = text.starts_with('%');
    text.remove_prefix(open_start ? 1 : 0);
    if (text.find_first_of("%_") != std::string_view::npos) {
      return column.like(whole);
    }
    const std::string wanted(text);
    return open_start && open_end ? column.contains(wanted)
           : open_start           ? column.ends_with(wanted)
           : open_end             ? column.starts_with(wanted)
                                  : column == wanted;
  }

  Result<AggregateSpec> aggregate() {
    using Kind = AggregateSpec::Kind;
    for (const Kind kind : {Kind::count, Kind::sum, Kind::min, Kind::max, Kind::avg}) {
      if (token_.is_keyword(to_string(kind))) {
        BOBBIN_TRY(advance());
        BOBBIN_TRY(expect_symbol("(", "'('"));
        return aggregate_of(kind);
      }
    }
    if (token_.kind == Token::Kind::word && is_followed_by("(")) {
      return error_at(text_, token_.position,
                      fmt::format("unknown aggregate {}; expected count, sum, min, max or avg",
                                  single_quoted(token_.source)));
    }
    return expected("count, sum, min, max or avg");
  }

  Result<AggregateSpec> aggregate_of(AggregateSpec::Kind kind) {
    const bool counts = kind == AggregateSpec::Kind::count;
    AggregateSpec parsed{.kind = kind};
    const bool rows = counts && (taken_symbol("*") || token_.is_symbol(")"));
    BOBBIN_TRY(failure_);
    if (counts && token_.is_keyword("distinct") && !is_followed_by(")")) {
      BOBBIN_TRY(advance());
      parsed.kind = AggregateSpec::Kind::count_distinct;
    }
    if (!rows) {
      BOBBIN_TRY(add_values(parsed));
    }
    BOBBIN_TRY(expect_symbol(")", "')'"));
    return parsed;
  }

  // A column, or an expression.
  Status add_values(AggregateSpec& to) {
    constexpr std::string_view kColumn = "a column's name";
    const Token start = token_;
    BOBBIN_ASSIGN(ParsedOperand found, operand(kColumn, 0));
    const bool distinct = to.kind == AggregateSpec::Kind::count_distinct;
    if (std::holds_alternative<Literal>(found)) {
      return expected(kColumn, start);
    }
    if (distinct && std::holds_alternative<Expression>(found)) {
      return error_at(text_, start.position, "count(distinct) takes a column, not an expression");
    }
    Expression made = formula_of(found).expression;
    if (made.kind == Expression::Kind::column) {
      to.column = std::move(made.column);
    } else {
      to.expression = std::move(made);
    }
    return {};
  }

  Result<OrderTerm> order_term() {
    OrderTerm term;
    if (token_.kind == Token::Kind::word && is_followed_by("(")) {
      BOBBIN_ASSIGN(term.aggregate, aggregate());
    } else {
      BOBBIN_ASSIGN(term.column, name("a column's name or an aggregate"));
    }
    term.is_descending = taken_keyword("desc");
    BOBBIN_TRY(failure_);
    if (!term.is_descending && token_.is_keyword("asc")) {
      BOBBIN_TRY(advance());
    }
    if (taken_keyword("nulls")) {
      term.nulls = token_.is_keyword("first") ? OrderTerm::Nulls::first : OrderTerm::Nulls::last;
      BOBBIN_TRY(token_.is_keyword("first") ? advance() : expect_keyword("last", "'first' or 'last'"));
    }
    BOBBIN_TRY(failure_);
    return term;
  }
};

}  // namespace

Result<Predicate> parse_predicate(std::string_view text) {
  BOBBIN_ASSIGN(Parser parser, Parser::create(text));
  return parser.predicate();
}

Result<std::vector<AggregateSpec>> parse_aggregates(std::string_view text) {
  BOBBIN_ASSIGN(Parser parser, Parser::create(text));
  return parser.aggregates();
}

Result<Expression> parse_expression(std::string_view text) {
  BOBBIN_ASSIGN(Parser parser, Parser::create(text));
  return parser.expression();
}

Result<std::vector<OrderTerm>> parse_order(std::string_view text) {
  BOBBIN_ASSIGN(Parser parser, Parser::create(text));
  return parser.order();
}

}  // namespace bobbin::query
