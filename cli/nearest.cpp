// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.hpp"

#include <algorithm>
#include <limits>

namespace bobbin::cli {
namespace {

// No verb or option is longer; longer words are not compared, so that very long input costs nothing.
constexpr size_t kLongestWord = 40;

size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& words) {
  if (typed.empty() || typed.size() > kLongestWord) {
    return "";
  }
  std::string best;
  size_t fewest = std::numeric_limits<size_t>::max();
  for (const std::string& word : words) {
    const bool begins = typed.size() >= 2 && word.starts_with(typed);
    const size_t edits = begins ? 1 : edits_between(typed, word);
    if (edits <= std::max<size_t>(1, word.size() / 3) && edits < fewest) {
      best = word;
      fewest = edits;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words) {
  const std::string word = nearest(typed, words);
  return word.empty() ? "" : "; did you mean '" + word + "'?";
}

}  // namespace bobbin::cli
