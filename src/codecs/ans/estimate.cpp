// SPDX-License-Identifier: Apache-2.0
// The choice of frequencies: integer arithmetic only, so that all backends write the same bytes.
#include <algorithm>

#include "codecs/ans/ans.hpp"

namespace bobbin::codec::ans {
namespace {

// Adding one slot to a byte of count c and frequency f saves about c / (f + 1/2) units; the first byte with
// the largest quotient gets it.
size_t best_to_grow(const Counts& counts, const Frequencies& frequencies) {
  size_t best = 0;
  for (size_t s = 1; s < counts.size(); ++s) {
    if (counts[s] * (2 * uint64_t{frequencies[best]} + 1) >
        counts[best] * (2 * uint64_t{frequencies[s]} + 1)) {
      best = s;
    }
  }
  return best;
}

// The first byte that loses least, of those that keep a slot.
size_t best_to_shrink(const Counts& counts, const Frequencies& frequencies) {
  size_t best = counts.size();
  for (size_t s = 0; s < counts.size(); ++s) {
    if (frequencies[s] > 1 &&
        (best == counts.size() || counts[s] * (2 * uint64_t{frequencies[best]} - 1) <
                                      counts[best] * (2 * uint64_t{frequencies[s]} - 1))) {
      best = s;
    }
  }
  return best;
}

}  // namespace

Frequencies normalize(const Counts& counts, uint32_t bits) {
  uint64_t total = 0;
  for (const uint64_t count : counts) {
    total += count;
  }
  const uint64_t slots = uint64_t{1} << bits;
  Frequencies frequencies{};
  uint64_t sum = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] != 0) {
      frequencies[s] = static_cast<uint16_t>(std::max<uint64_t>(counts[s] * slots / total, 1));
      sum += frequencies[s];
    }
  }
  for (; sum < slots; ++sum) {
    ++frequencies[best_to_grow(counts, frequencies)];
  }
  for (; sum > slots; --sum) {
    --frequencies[best_to_shrink(counts, frequencies)];
  }
  return frequencies;
}

Preamble preamble_of(const Frequencies& frequencies, uint64_t length, const Layout& layout) {
  Preamble preamble{.header = {.bits = static_cast<uint8_t>(layout.bits),
                               .segment_log = static_cast<uint8_t>(layout.segment_log),
                               .first = 0,
                               .stored = length,
                               .skip = 0},
                    .stored = {}};
  const auto used = [](uint16_t frequency) { return frequency != 0; };
  const auto first = std::ranges::find_if(frequencies, used);
  if (first != frequencies.end()) {
    const auto last = std::find_if(frequencies.rbegin(), frequencies.rend(), used).base();
    preamble.header.first = static_cast<uint8_t>(first - frequencies.begin());
    preamble.stored.assign(first, last);
  }
  return preamble;
}

}  // namespace bobbin::codec::ans
