// SPDX-License-Identifier: Apache-2.0
// Text to predicates, aggregates and orders.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <variant>

#include "bobbin/query.hpp"
#include "query/place.hpp"
#include "query/text.hpp"
#include "query/tokens.hpp"

namespace bobbin::query {
namespace {

// How deep parentheses and `not` may be nested.
constexpr int kMaxNesting = 100;

constexpr std::pair<std::string_view, Compare> kOperators[] = {
    {"=", Compare::eq}, {"==", Compare::eq}, {"!=", Compare::ne}, {"<>", Compare::ne},
    {"<", Compare::lt}, {"<=", Compare::le}, {">", Compare::gt},  {">=", Compare::ge}};

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

constexpr std::string_view kOperand = "a number, a string in single quotes, true, false or a column's name";

// What a column is compared with.
using Operand = std::variant<Literal, ColumnName>;

Predicate compare(const ColumnName& column, Compare op, const Operand& operand) {
  return std::visit([&](const auto& right) { return column.compare(op, right); }, operand);
}

// The equivalent operator with its sides exchanged.
Compare mirrored(Compare op) {
  switch (op) {
    case Compare::lt:
      return Compare::gt;
    case Compare::le:
      return Compare::ge;
    case Compare::gt:
      return Compare::lt;
    case Compare::ge:
      return Compare::le;
    case Compare::eq:
    case Compare::ne:
      break;
  }
  return op;
}

class Parser {
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

  Result<std::vector<OrderTerm>> order() {
    return list<OrderTerm>("'asc', 'desc', 'nulls', ',' or the end", [&] { return order_term(); });
  }

 private:
  explicit Parser(std::string_view text) : text_(text) {}

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

  Status advance() {
    BOBBIN_ASSIGN(token_, next_token(text_, token_.position + token_.source.size()));
    return {};
  }
  [[nodiscard]] Status expected(std::string_view what) const {
    return error_at(token_.position, fmt::format("expected {}, found {}", what, token_.shown()));
  }
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
    if (depth == kMaxNesting) {
      return error_at(token_.position, fmt::format("nested more than {} deep", kMaxNesting));
    }
    if (taken_keyword("not")) {
      BOBBIN_ASSIGN(Predicate parsed, unary(depth + 1));
      return !std::move(parsed);
    }
    BOBBIN_TRY(failure_);
    if (taken_symbol("(")) {
      BOBBIN_ASSIGN(Predicate parsed, either(depth + 1));
      BOBBIN_TRY(expect_symbol(")", "'and', 'or' or ')'"));
      return parsed;
    }
    BOBBIN_TRY(failure_);
    return test();
  }

  Result<std::string> name(std::string_view what) {
    if (token_.kind != Token::Kind::name && (token_.kind != Token::Kind::word || token_.is_reserved())) {
      return expected(what);
    }
    std::string found = std::move(token_.value);
    BOBBIN_TRY(advance());
    return found;
  }

  // Whether a constant begins here, rather than a column's name.
  [[nodiscard]] bool at_literal() const {
    return token_.kind == Token::Kind::text || token_.kind == Token::Kind::number || token_.is_symbol("-") ||
           token_.is_symbol("+") || token_.is_keyword("true") || token_.is_keyword("false") ||
           token_.is_keyword("nan") || token_.is_keyword("inf");
  }

  Result<Operand> operand() {
    if (at_literal()) {
      BOBBIN_ASSIGN(Literal constant, literal());
      return Operand(std::move(constant));
    }
    BOBBIN_ASSIGN(std::string found, name(kOperand));
    return Operand(ColumnName(std::move(found)));
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

  // `3 < x`
  Result<Predicate> literal_test() {
    BOBBIN_ASSIGN(const Literal constant, literal());
    const std::optional<Compare> op = comparison();
    if (!op.has_value()) {
      return expected("an operator such as '<'");
    }
    BOBBIN_TRY(advance());
    BOBBIN_ASSIGN(std::string found, name("a column's name"));
    return ColumnName(std::move(found)).compare(mirrored(*op), constant);
  }

  Result<Predicate> test() {
    // Columns may be called inf and nan.
    if (at_literal() && !token_.is_keyword("inf") && !token_.is_keyword("nan")) {
      return literal_test();
    }
    BOBBIN_ASSIGN(std::string found, name("a column's name, 'not' or '('"));
    const ColumnName column(std::move(found));
    if (const std::optional<Compare> op = comparison(); op.has_value()) {
      BOBBIN_TRY(advance());
      BOBBIN_ASSIGN(const Operand right, operand());
      return compare(column, *op, right);
    }
    if (taken_keyword("is")) {
      return null_test(column);
    }
    BOBBIN_TRY(failure_);
    const bool negated = taken_keyword("not");
    BOBBIN_TRY(failure_);
    BOBBIN_ASSIGN(Predicate parsed, word_test(column, negated));
    return negated ? !std::move(parsed) : std::move(parsed);
  }

  Result<Predicate> null_test(const ColumnName& column) {
    const bool negated = taken_keyword("not");
    BOBBIN_TRY(failure_);
    BOBBIN_TRY(expect_keyword("null", negated ? "'null'" : "'null' or 'not null'"));
    return negated ? !column.is_null() : column.is_null();
  }

  Result<Predicate> word_test(const ColumnName& column, bool negated) {
    if (taken_keyword("between")) {
      BOBBIN_ASSIGN(const Operand least, operand());
      BOBBIN_TRY(expect_keyword("and", "'and'"));
      BOBBIN_ASSIGN(const Operand greatest, operand());
      return between(column, least, greatest);
    }
    BOBBIN_TRY(failure_);
    if (taken_keyword("in")) {
      return in_list(column);
    }
    BOBBIN_TRY(failure_);
    for (const std::string_view keyword : {"like", "ilike"}) {
      if (taken_keyword(keyword)) {
        return pattern(column, keyword == "ilike");
      }
      BOBBIN_TRY(failure_);
    }
    return expected(negated ? "'between', 'in', 'like' or 'ilike'"
                            : "an operator such as '<', or 'between', 'in', 'like', 'ilike', 'is' or 'not'");
  }

  static Predicate between(const ColumnName& column, const Operand& least, const Operand& greatest) {
    const auto* const low = std::get_if<Literal>(&least);
    const auto* const high = std::get_if<Literal>(&greatest);
    return low != nullptr && high != nullptr
               ? column.between(*low, *high)
               : compare(column, Compare::ge, least) && compare(column, Compare::le, greatest);
  }

  Result<Predicate> in_list(const ColumnName& column) {
    BOBBIN_TRY(expect_symbol("(", "'('"));
    std::vector<Literal> literals;
    std::vector<ColumnName> others;
    do {
      BOBBIN_ASSIGN(Operand one, operand());
      if (auto* const constant = std::get_if<Literal>(&one)) {
        literals.push_back(std::move(*constant));
      } else {
        others.push_back(std::get<ColumnName>(std::move(one)));
      }
    } while (taken_symbol(","));
    BOBBIN_TRY(failure_);
    BOBBIN_TRY(expect_symbol(")", "',' or ')'"));
    if (others.empty()) {
      return column.in(std::move(literals));
    }
    Predicate any{.kind = Predicate::Kind::either};
    if (!literals.empty()) {
      any.parts.push_back(column.in(std::move(literals)));
    }
    std::ranges::transform(others, std::back_inserter(any.parts),
                           [&](const ColumnName& other) { return column == other; });
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

  Result<Literal> literal() {
    if (token_.kind == Token::Kind::text) {
      Literal text(std::move(token_.value));
      BOBBIN_TRY(advance());
      return text;
    }
    const bool truth = token_.is_keyword("true");
    if (truth || token_.is_keyword("false")) {
      BOBBIN_TRY(advance());
      return Literal(truth);
    }
    const bool negative = token_.is_symbol("-");
    if (negative || token_.is_symbol("+")) {
      BOBBIN_TRY(advance());
    }
    BOBBIN_ASSIGN(Literal found, number(negative));
    BOBBIN_TRY(advance());
    return found;
  }

  [[nodiscard]] Result<Literal> number(bool negative) const {
    const auto with_sign = [&](double value) { return Literal(negative ? -value : value); };
    if (token_.is_keyword("nan")) {
      return with_sign(std::numeric_limits<double>::quiet_NaN());
    }
    if (token_.is_keyword("inf")) {
      return with_sign(std::numeric_limits<double>::infinity());
    }
    if (token_.kind != Token::Kind::number) {
      return expected(kOperand);
    }
    const std::string_view digits = token_.source;
    if (digits.find_first_not_of("0123456789") == std::string_view::npos) {
      if (const std::optional<Int128> value = to_integer(digits, negative); value.has_value()) {
        return Literal(*value);
      }
    }
    return literal_of_digits((negative ? "-" : "") + std::string(digits));
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
      BOBBIN_ASSIGN(parsed.column, name("a column's name"));
    }
    BOBBIN_TRY(expect_symbol(")", "')'"));
    return parsed;
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

  std::string_view text_;
  Token token_;
  Status failure_;
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

Result<std::vector<OrderTerm>> parse_order(std::string_view text) {
  BOBBIN_ASSIGN(Parser parser, Parser::create(text));
  return parser.order();
}

}  // namespace bobbin::query
