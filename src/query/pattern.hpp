// SPDX-License-Identifier: Apache-2.0
// Patterns of LIKE and ILIKE: % matches any characters, also none, and _ matches one character. A byte that
// is not part of well-formed UTF-8 counts as one character.
#pragma once

#include <string>
#include <string_view>

namespace bobbin::query {

class Pattern {
 public:
  Pattern(std::string_view pattern, bool any_case);

  // Takes at most text.size() * pattern.size() steps.
  [[nodiscard]] bool matches(std::string_view text) const;
  // Bytes that every match begins with, and the longest run of bytes that every match contains; empty when
  // there are none, or when they may be of any case.
  [[nodiscard]] std::string_view prefix() const;
  [[nodiscard]] std::string_view longest_piece() const;

 private:
  [[nodiscard]] bool matches_bytes(std::string_view text) const;

  std::string pattern_;
  bool any_case_;
};

// The text in lower case, character by character, where Unicode has one lower-case character for one.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace bobbin::query
