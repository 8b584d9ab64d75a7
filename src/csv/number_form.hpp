// SPDX-License-Identifier: Apache-2.0
// Numbers as people write them: $1,234.50, 12 %, 1.234,5, 00501. A form is what such a text has beyond the
// plain number, 1234.50, whose type and spelling are found like those of any other number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bobbin::csv {

// A number in digits, perhaps with a sign and a point. Has room for parsers that read whole words.
struct PlainNumber {
  static constexpr size_t kMost = 64;
  std::array<char, kMost + 16> bytes{};
  size_t size = 0;

  [[nodiscard]] std::string_view text() const { return {bytes.data(), size}; }
};

struct NumberForm {
  std::string before{};      // "$"
  std::string after{};       // " %"
  std::string group{};       // the mark between groups of three digits; empty: none
  char point = '.';          // the decimal mark
  char padding = '\0';       // '0' or ' ': texts shorter than the width begin with it
  uint8_t width = 0;         // at most kMostWidth
  bool plus = false;         // numbers above zero have a sign
  bool sign_inside = false;  // after what comes before the number: $-5

  static constexpr size_t kMostWidth = 32;
  static constexpr size_t kMostAround = 8;  // bytes before, after, and of a mark

  [[nodiscard]] bool is_plain() const {
    return before.empty() && after.empty() && group.empty() && point == '.' && padding == '\0' && !plus;
  }

  // Marks may be missing and zeros may precede the number, but marks are where they belong.
  [[nodiscard]] bool read(std::string_view text, PlainNumber& plain) const;
  // Only texts that write() writes.
  [[nodiscard]] bool read_exactly(std::string_view text, PlainNumber& plain) const;
  // A number that is not plain, such as one with an exponent, is copied. At most kMaxNumberText characters.
  [[nodiscard]] char* write(std::string_view plain, char* out) const;

  // Words that parse_word() takes one by one: "before=$ group=, width=5". Empty if it is plain.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool parse_word(std::string_view word);

  // Whether groups of digits may be separated by this mark; also true without a mark.
  [[nodiscard]] static bool is_group_mark(std::string_view mark);
  struct Marks {
    std::string group{};  // empty: not given
    char point = '\0';    // NUL: not given
  };
  // All forms that the text could have. Marks that are given rule out others.
  [[nodiscard]] static std::vector<NumberForm> forms_of(std::string_view text, const Marks& marks);

  friend bool operator==(const NumberForm&, const NumberForm&) = default;
};

inline constexpr size_t kMaxNumberText = 160;

}  // namespace bobbin::csv
