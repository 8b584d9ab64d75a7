// SPDX-License-Identifier: Apache-2.0
// The word that was probably meant by a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bobbin::cli {

// The closest of `words`, or empty if none is close: at most one edit per three letters, or a word that
// begins with `typed`. An edit inserts, removes or replaces a letter, or swaps two adjacent ones.
[[nodiscard]] std::string nearest(std::string_view typed, const std::vector<std::string>& words);

// "; did you mean 'compress'?", or empty.
[[nodiscard]] std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words);

}  // namespace bobbin::cli
