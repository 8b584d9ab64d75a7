// SPDX-License-Identifier: Apache-2.0
#include "query/pattern.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "query/lower_case.hpp"

namespace bobbin::query {
namespace {

constexpr std::string_view kWildcards = "%_";

// The code point of a well-formed sequence.
uint32_t decode(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(sequence[i])); };
  constexpr uint32_t kFirstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = byte(0) & kFirstBits[sequence.size()];
  for (size_t i = 1; i < sequence.size(); ++i) {
    code = code << 6 | (byte(i) & 0x3f);
  }
  return code;
}

void append(std::string& text, uint32_t code) {
  const auto tail = [&](uint32_t shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

uint32_t lower_code(uint32_t code) {
  const auto* const after = std::ranges::upper_bound(kLowerCase, code, {}, &CaseRange::first);
  if (after == std::begin(kLowerCase)) {
    return code;
  }
  const CaseRange& range = *std::prev(after);
  const bool has_lower = code <= range.last && (code - range.first) % range.step == 0;
  return has_lower ? static_cast<uint32_t>(static_cast<int32_t>(code) + range.delta) : code;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<uint8_t>(text[i]);
    if (first < 0x80) {
      lower += first >= 'A' && first <= 'Z' ? static_cast<char>(first - 'A' + 'a') : text[i];
      ++i;
      continue;
    }
    const size_t length = character_length(text, i);
    if (length == 1) {
      lower += text[i];
    } else {
      append(lower, lower_code(decode(text.substr(i, length))));
    }
    i += length;
  }
  return lower;
}

Pattern::Pattern(std::string_view pattern, bool any_case)
    : pattern_(any_case ? lower_case(pattern) : std::string(pattern)), any_case_(any_case) {}

bool Pattern::matches(std::string_view text) const {
  return any_case_ ? matches_bytes(lower_case(text)) : matches_bytes(text);
}

// What follows a % is tried at each character in turn. It is enough to backtrack to the last %: if the part
// between two of them matched somewhere, the first such match leaves the most room for the rest.
bool Pattern::matches_bytes(std::string_view text) const {
  constexpr size_t kNone = std::string_view::npos;
  size_t at = 0;
  size_t p = 0;
  size_t after_percent = kNone;
  size_t tried = 0;
  while (at < text.size()) {
    if (p < pattern_.size() && pattern_[p] == '%') {
      after_percent = ++p;
      tried = at;
    } else if (p < pattern_.size() && pattern_[p] == '_') {
      at += character_length(text, at);
      ++p;
    } else if (p < pattern_.size() && pattern_[p] == text[at]) {
      ++at;
      ++p;
    } else if (after_percent != kNone) {
      tried += character_length(text, tried);
      at = tried;
      p = after_percent;
    } else {
      return false;
    }
  }
  return pattern_.find_first_not_of('%', p) == kNone;
}

std::string_view Pattern::prefix() const {
  return any_case_ ? std::string_view()
                   : std::string_view(pattern_).substr(0, pattern_.find_first_of(kWildcards));
}

std::string_view Pattern::longest_piece() const {
  std::string_view longest;
  std::string_view rest = any_case_ ? std::string_view() : pattern_;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, rest.find_first_of(kWildcards));
    longest = piece.size() > longest.size() ? piece : longest;
    rest.remove_prefix(std::min(piece.size() + 1, rest.size()));
  }
  return longest;
}

}  // namespace bobbin::query
