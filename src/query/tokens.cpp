// SPDX-License-Identifier: Apache-2.0
#include "query/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

constexpr std::string_view kKeywords[] = {"and", "or", "not", "between", "in", "is", "null", "like", "ilike"};
constexpr std::string_view kSymbols[] = {"<=", ">=", "<>", "!=", "==", "<", ">",
                                         "=",  "(",  ")",  ",",  "-",  "+", "*"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
// Non-ASCII bytes count as letters.
bool is_letter(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Where the digits that begin at `i` end.
size_t skip_digits(std::string_view text, size_t i) {
  while (i < text.size() && is_digit(text[i])) {
    ++i;
  }
  return i;
}

size_t number_end(std::string_view text, size_t i) {
  i = skip_digits(text, i);
  if (i < text.size() && text[i] == '.') {
    i = skip_digits(text, i + 1);
  }
  if (i < text.size() && lower(text[i]) == 'e') {
    const size_t sign = i + 1 < text.size() && (text[i + 1] == '-' || text[i + 1] == '+') ? 1 : 0;
    const size_t end = skip_digits(text, i + 1 + sign);
    i = end > i + 1 + sign ? end : i;
  }
  return i;
}

// What other languages write, and what to write here.
struct Foreign {
  std::string_view symbol;
  std::string_view advice;
};
constexpr Foreign kForeign[] = {
    {"&&", "'&&' is not supported; write 'and'"},
    {"||", "'||' is not supported; write 'or'"},
    {"&", "'&' is not supported; write 'and'"},
    {"|", "'|' is not supported; write 'or'"},
    {"!", "'!' is not supported; write 'not'"},
    {"/", "division is not supported in expressions; they have +, - and *"},
    {"%", "modulo is not supported in expressions; they have +, - and *"},
    {"^", "powers are not supported in expressions; they have +, - and *"},
    {"~", "'~' is not supported; like and ilike match patterns"},
    {";", "';' is not supported: write one text without it"},
    {":",
     "':' is not supported; dates and times are written in single quotes, such as '2014-08-08 18:00:00'"},
    {"`", "'`' is not supported; names with special characters are written in double quotes"},
    {"[", "'[' is not supported; names with special characters are written in double quotes"}};

// The end of as many digits as these at `i`; 0 if there are fewer or more.
size_t digits_end(std::string_view text, size_t i, size_t least, size_t most) {
  const size_t end = i <= text.size() ? skip_digits(text, i) : i;
  return end - i >= least && end - i <= most ? end : 0;
}

// Whether a date with slashes, or with hyphens and a time after it, begins at `i`. (2014-08-08 alone is
// arithmetic.)
bool is_unquoted_date(std::string_view text, size_t i) {
  const auto is_at = [&](size_t at, std::string_view any) {
    return at > 0 && at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  const size_t first = digits_end(text, i, 1, 4);
  if (!is_at(first, "/-")) {
    return false;
  }
  const size_t second = digits_end(text, first + 1, 1, 2);
  if (!is_at(second, text.substr(first, 1))) {
    return false;
  }
  const size_t third = digits_end(text, second + 1, 1, 4);
  if (third == 0 || text[first] == '/') {
    return third != 0;
  }
  return is_at(third, " T") && is_at(digits_end(text, third + 1, 1, 2), ":");
}

// A doubled quote means a single one.
Result<Token> quoted_token(std::string_view text, size_t begin) {
  const char quote = text[begin];
  Token token{.kind = quote == '"' ? Token::Kind::name : Token::Kind::text, .position = begin};
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] != quote) {
      token.value += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == quote) {
      token.value += text[++i];
    } else {
      token.source = text.substr(begin, i + 1 - begin);
      return token;
    }
  }
  return error_at(text, begin,
                  fmt::format("the {} that begins here is not closed",
                              token.kind == Token::Kind::name ? "name" : "string"));
}

}  // namespace

bool Token::is_keyword(std::string_view keyword) const {
  return kind == Kind::word && same_word(source, keyword);
}

bool Token::is_reserved() const {
  return std::ranges::any_of(kKeywords, [&](std::string_view keyword) { return is_keyword(keyword); });
}

std::string Token::shown() const {
  return kind == Kind::end ? "the end" : kind == Kind::text ? printable(source) : single_quoted(source);
}

Result<Token> next_token(std::string_view text, size_t from) {
  size_t i = from;
  while (i < text.size() && is_blank(text[i])) {
    ++i;
  }
  Token token{.position = i};
  if (i == text.size()) {
    return token;
  }
  if (text[i] == '"' || text[i] == '\'') {
    return quoted_token(text, i);
  }
  size_t end = i;
  if (is_letter(text[i])) {
    token.kind = Token::Kind::word;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) {
      ++end;
    }
  } else if (is_digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) {
    token.kind = Token::Kind::number;
    end = number_end(text, i);
    if (is_unquoted_date(text, i)) {
      return error_at(text, i, "dates and times are written in single quotes, such as '2014-08-08 18:00:00'");
    }
  } else {
    token.kind = Token::Kind::symbol;
    const auto* const symbol = std::ranges::find_if(
        kSymbols, [&](std::string_view candidate) { return text.substr(i).starts_with(candidate); });
    if (symbol == std::end(kSymbols)) {
      const auto* const foreign = std::ranges::find_if(
          kForeign, [&](const Foreign& one) { return text.substr(i).starts_with(one.symbol); });
      if (foreign != std::end(kForeign)) {
        return error_at(text, i, std::string(foreign->advice));
      }
      return error_at(text, i, fmt::format("unexpected {}", single_quoted(text.substr(i, 1))));
    }
    end = i + symbol->size();
  }
  token.source = text.substr(i, end - i);
  token.value = token.source;
  return token;
}

Status error_at(std::string_view text, size_t position, const std::string& message) {
  size_t characters = 0;
  for (size_t at = 0; at < std::min(position, text.size()); at += character_length(text, at)) {
    ++characters;
  }
  return {StatusCode::invalid_argument, fmt::format("character {}: {}", characters + 1, message)};
}

}  // namespace bobbin::query
