// SPDX-License-Identifier: Apache-2.0
// LIKE and ILIKE patterns: % matches any number of characters, including none, and _ matches exactly one. A
// byte that is not part of well-formed UTF-8 counts as one character.
#pragma once

#include <string>
#include <string_view>

namespace bobbin::query {

class Pattern {
 public:
  Pattern(std::string_view pattern, bool any_case);

  // Takes at most text.size() * pattern.size() steps.
  [[nodiscard]] bool matches(std::string_view text) const;
  // The bytes that every match begins with, and the longest run of bytes that every match contains; empty if
  // there are none, or if case is ignored.
  [[nodiscard]] std::string_view prefix() const;
  [[nodiscard]] std::string_view longest_piece() const;

 private:
  [[nodiscard]] bool matches_bytes(std::string_view text) const;

  std::string pattern_;
  bool any_case_;
};

// The text in lower case, character by character, where Unicode maps one character to one.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace bobbin::query
