// SPDX-License-Identifier: Apache-2.0
// The tokens of a query text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bobbin/status.hpp"

namespace bobbin::query {

struct Token {
  enum class Kind : uint8_t {
    end,
    word,    // letters, digits and underscores: a name or a keyword
    name,    // in double quotes
    text,    // in single quotes
    number,  // digits, a point, an exponent
    symbol,  // an operator, a parenthesis, a comma, a sign
  };

  Kind kind = Kind::end;
  std::string_view source{};  // as written
  std::string value{};        // for names and texts: without quotes
  size_t position = 0;        // of its first byte, from 0

  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return kind == Kind::symbol && source == symbol;
  }
  // Keywords are not case-sensitive.
  [[nodiscard]] bool is_keyword(std::string_view keyword) const;
  // Whether the word is reserved: a column of this name must be in double quotes.
  [[nodiscard]] bool is_reserved() const;
  [[nodiscard]] std::string shown() const;
};

// The token that begins at or after `from`.
[[nodiscard]] Result<Token> next_token(std::string_view text, size_t from);

// The message with the number of the character that begins at a byte of the text.
[[nodiscard]] Status error_at(std::string_view text, size_t position, const std::string& message);

}  // namespace bobbin::query
