// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "bobbin/text.hpp"

namespace bobbin {
namespace {

// Longer words are not compared, and of very many only the first, so that very long input costs nothing.
constexpr size_t kLongestWord = 64;
constexpr size_t kMostWords = 20000;
constexpr size_t kNotNear = std::numeric_limits<size_t>::max();

char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_part_of_word(char c) {
  const char lower = lower_letter(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || static_cast<uint8_t>(c) >= 0x80;
}

std::string lower_case_of(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), lower_letter);
  return lower;
}

// The parts of a name in lower case: "pickup" and "time" of pickup_time, "Pickup Time" and pickupTime.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  bool inside = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool capital =
        name[i] >= 'A' && name[i] <= 'Z' && i > 0 && lower_letter(name[i - 1]) == name[i - 1];
    if (!is_part_of_word(name[i])) {
      inside = false;
      continue;
    }
    if (!inside || capital) {
      parts.emplace_back();
      inside = true;
    }
    parts.back() += lower_letter(name[i]);
  }
  return parts;
}

// Letters inserted, removed, replaced, or swapped with the next one.
size_t edits_between(std::string_view a, std::string_view b) {
  using Row = std::array<size_t, kLongestWord + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (size_t i = 0; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        row[j] = i + j;
        continue;
      }
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

// At most one edit per three letters, of which one is the same.
size_t whole_distance(std::string_view typed, std::string_view word) {
  if (typed == word) {
    return 0;
  }
  if (typed.size() >= 2 && word.starts_with(typed)) {
    return 1;
  }
  const size_t most = std::max<size_t>(1, word.size() / 3);
  if (typed.size() > word.size() + most || word.size() > typed.size() + most) {
    return kNotNear;
  }
  const size_t edits = edits_between(typed, word);
  return edits <= most && edits < std::max(typed.size(), word.size()) ? edits : kNotNear;
}

constexpr size_t kUnlike = 6;  // a part that is like none of the word

size_t part_distance(std::string_view typed, std::string_view part) {
  constexpr size_t kShortest = 3;  // shorter parts are like too many others
  if (typed == part) {
    return 0;
  }
  if (std::min(typed.size(), part.size()) < kShortest) {
    return kUnlike;
  }
  if (part.find(typed) != std::string_view::npos) {
    return 1;
  }
  const size_t edits = edits_between(typed, part);
  const bool alike = edits <= std::max<size_t>(1, part.size() / 3);
  const bool sounds_alike =
      typed.front() == part.front() && typed.size() > kShortest && 2 * edits <= typed.size();
  return alike || sounds_alike ? std::min(edits + 1, kUnlike) : kUnlike;
}

// Names of several parts, most of which are like a part of the word: fair is meant for fare_amount,
// pickup_time for tpep_pickup_datetime.
size_t parts_distance(const std::vector<std::string>& typed, const std::vector<std::string>& word) {
  size_t sum = 0;
  for (const std::string& part : typed) {
    size_t least = kUnlike;
    for (const std::string& other : word) {
      least = std::min(least, part_distance(part, other));
    }
    sum += least;
  }
  return typed.empty() || 2 * sum > kUnlike * typed.size() ? kNotNear : sum + 2;
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> words) {
  if (typed.empty() || typed.size() > kLongestWord) {
    return "";
  }
  const std::string lower = lower_case_of(typed);
  const std::vector<std::string> parts = parts_of(typed);
  std::string best;
  size_t closest = kNotNear;
  for (const std::string& word : words.first(std::min(words.size(), kMostWords))) {
    if (word.size() > kLongestWord) {
      continue;
    }
    size_t distance = whole_distance(lower, lower_case_of(word));
    if (distance == kNotNear) {
      distance = parts_distance(parts, parts_of(word));
    }
    if (distance < closest) {
      best = word;
      closest = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> words) {
  const std::string word = nearest(typed, words);
  return word.empty() ? "" : "; did you mean '" + printable(word) + "'?";
}

}  // namespace bobbin
