// SPDX-License-Identifier: Apache-2.0
// The word that a mistyped one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bobbin::cli {

// The closest of `words`, or nothing when none is close: at most one edit for every three letters, or a word
// that `typed` begins. An edit inserts, removes or replaces a letter, or swaps two neighbours.
[[nodiscard]] std::string nearest(std::string_view typed, const std::vector<std::string>& words);

// "; did you mean 'compress'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words);

}  // namespace bobbin::cli
