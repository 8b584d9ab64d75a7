// SPDX-License-Identifier: Apache-2.0
// Which cases are run, and how large: all of them in plain builds. Under a sanitizer, which slows kernels
// down five to twenty times, a subset that changes with each commit (./dev test sets BOBBIN_SEED, a number,
// from it), and never none; inputs whose size does not matter are smaller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <ranges>
#include <string>
#include <vector>

namespace bobbin::testing {

// One random case in this many is run.
inline constexpr uint64_t kDrawnShare = BOBBIN_DRAWN_SHARE;
// The same for lists of cases that someone chose: they differ more, so fewer are left out.
inline constexpr uint64_t kListShare = std::min<uint64_t>(kDrawnShare, 4);
// What a test expects of the number of its cases, say of those that are refused, holds for all of them only:
// a subset may have none.
inline constexpr bool kAllCasesRun = kDrawnShare == 1;

// A size that does not matter.
constexpr uint64_t shrunk(uint64_t size) {
  return kDrawnShare == 1 || size < 8 ? size : size / 8;
}

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

// The same for the elements of a list.
template <std::ranges::random_access_range List>
auto drawn_of(const List& list, uint64_t share = kListShare) {
  std::vector<std::ranges::range_value_t<List>> cases;
  for (const uint64_t i : drawn(std::ranges::size(list), share)) {
    cases.push_back(std::ranges::begin(list)[static_cast<ptrdiff_t>(i)]);
  }
  return cases;
}

}  // namespace bobbin::testing
