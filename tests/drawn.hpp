// SPDX-License-Identifier: Apache-2.0
// Which random cases are run: all in plain builds. Under a sanitizer, which slows kernels down five to twenty
// times, a subset that changes with each commit: ./dev test sets BOBBIN_SEED, a number, from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace bobbin::testing {

// One case in this many is run.
inline constexpr uint64_t kDrawnShare = BOBBIN_DRAWN_SHARE;

inline uint64_t draw_number() {
  const char* const text = std::getenv("BOBBIN_SEED");
  return text == nullptr ? 0 : std::stoull(text);
}

// One in `share` of the cases 0 to all - 1, and at least one. Lists of different lengths begin independently,
// so that lists inside of lists combine in all ways.
inline std::vector<uint64_t> drawn(uint64_t all, uint64_t share = kDrawnShare) {
  std::vector<uint64_t> cases;
  const uint64_t step = std::min(share, all);
  std::mt19937_64 random(draw_number() ^ all);
  for (uint64_t i = step == 0 ? 0 : random() % step; i < all; i += step) {
    cases.push_back(i);
  }
  return cases;
}

}  // namespace bobbin::testing
