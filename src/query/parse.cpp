// SPDX-License-Identifier: Apache-2.0
#include "query/parse.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "query/place.hpp"
#include "query/text.hpp"
#include "query/tokens.hpp"

namespace bobbin::query {
namespace {

constexpr std::pair<std::string_view, Compare> kOperators[] = {
    {"=", Compare::eq}, {"==", Compare::eq}, {"!=", Compare::ne}, {"<>", Compare::ne},
    {"<", Compare::lt}, {"<=", Compare::le}, {">", Compare::gt},  {">=", Compare::ge}};

// Digits to a number of up to 128 bits with its sign; nothing when it has more.
std::optional<Int128> to_integer(std::string_view digits, bool negative) {
  constexpr Int128 kMost = (Int128{1} << 126) - 1 + (Int128{1} << 126);
  Int128 value = 0;  // kept negative: there is one more of those
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
    std::vector<AggregateSpec> list;
    do {
      BOBBIN_ASSIGN(AggregateSpec one, aggregate());
      list.push_back(std::move(one));
    } while (taken_symbol(","));
    BOBBIN_TRY(failure_);
    BOBBIN_TRY(expect_end("',' or the end"));
    return list;
  }

 private:
  explicit Parser(std::string_view text) : text_(text) {}

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
  // Whether the token was there; it is then behind us. What follows it may be no token: then failure_ is set.
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

  Result<Predicate> test() {
    BOBBIN_ASSIGN(std::string found, name("a column's name, 'not' or '('"));
    const ColumnName column(std::move(found));
    for (const auto& [symbol, op] : kOperators) {
      if (token_.is_symbol(symbol)) {
        BOBBIN_TRY(advance());
        BOBBIN_ASSIGN(Literal constant, literal());
        return column.compare(op, std::move(constant));
      }
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
      BOBBIN_ASSIGN(Literal least, literal());
      BOBBIN_TRY(expect_keyword("and", "'and'"));
      BOBBIN_ASSIGN(Literal greatest, literal());
      return column.between(std::move(least), std::move(greatest));
    }
    BOBBIN_TRY(failure_);
    if (taken_keyword("in")) {
      return in_list(column);
    }
    BOBBIN_TRY(failure_);
    if (taken_keyword("like")) {
      return pattern(column);
    }
    BOBBIN_TRY(failure_);
    return expected(negated ? "'between', 'in' or 'like'"
                            : "an operator such as '<', or 'between', 'in', 'like', 'is' or 'not'");
  }

  Result<Predicate> in_list(const ColumnName& column) {
    BOBBIN_TRY(expect_symbol("(", "'('"));
    std::vector<Literal> literals;
    do {
      BOBBIN_ASSIGN(Literal one, literal());
      literals.push_back(std::move(one));
    } while (taken_symbol(","));
    BOBBIN_TRY(failure_);
    BOBBIN_TRY(expect_symbol(")", "',' or ')'"));
    return column.in(std::move(literals));
  }

  // 'x', 'x%' and '%x%'.
  Result<Predicate> pattern(const ColumnName& column) {
    if (token_.kind != Token::Kind::text) {
      return expected("a string in single quotes");
    }
    const Token found = token_;
    std::string_view text = found.value;
    const bool open_end = text.ends_with('%');
    text.remove_suffix(open_end ? 1 : 0);
    const bool open_start = text.starts_with('%');
    text.remove_prefix(open_start ? 1 : 0);
    if (text.find_first_of("%_") != std::string_view::npos || (open_start && !open_end)) {
      return error_at(found.position,
                      fmt::format("{} is no pattern of the forms 'x', 'x%' and '%x%', where x "
                                  "is without '%' and '_'",
                                  found.shown()));
    }
    BOBBIN_TRY(advance());
    const std::string wanted(text);
    return open_start ? column.contains(wanted) : open_end ? column.starts_with(wanted) : column == wanted;
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
      return expected("a number, a string in single quotes, true or false");
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
    for (const Kind kind : {Kind::count, Kind::sum, Kind::min, Kind::max}) {
      if (token_.is_keyword(to_string(kind))) {
        BOBBIN_TRY(advance());
        BOBBIN_TRY(expect_symbol("(", "'('"));
        AggregateSpec parsed{.kind = kind};
        const bool rows = kind == Kind::count && (taken_symbol("*") || token_.is_symbol(")"));
        BOBBIN_TRY(failure_);
        if (!rows) {
          BOBBIN_ASSIGN(parsed.column, name("a column's name"));
        }
        BOBBIN_TRY(expect_symbol(")", "')'"));
        return parsed;
      }
    }
    return expected("count, sum, min or max");
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

}  // namespace bobbin::query
