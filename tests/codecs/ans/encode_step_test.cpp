// SPDX-License-Identifier: Apache-2.0
// The kernel's steps, whose quotients are estimated, make the same states as the CPU's.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codecs/ans/encode_step.hpp"
#include "codecs/ans/tile.hpp"
#include "tests/codecs/component.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

using codec::ans::Entry;
using codec::ans::Symbol;

constexpr uint32_t kSlots = 1U << Entry::kBits;

struct Pair {
  uint32_t late;  // frequencies
  uint32_t early;
};

// Both are what a writer may have: of one value, or of two.
uint32_t early_of(Random& random, uint32_t late) {
  switch (random.below(4)) {
    case 0:
      return late;
    case 1:
      return late == kSlots ? late : 1;
    default:
      return late == kSlots ? late : 1 + static_cast<uint32_t>(random.below(kSlots - late));
  }
}

uint32_t begin_of(Random& random, uint32_t frequency) {
  return static_cast<uint32_t>(random.below(kSlots - frequency + 1));
}

// The greatest state that fits the pair.
uint64_t greatest_of(const Pair& pair) {
  const uint64_t product = uint64_t{pair.late} * pair.early;
  return product == uint64_t{kSlots} * kSlots ? ~uint64_t{0} : (product << (64 - 2 * Entry::kBits)) - 1;
}

// States that fit the pair: the least and the greatest, any, and those next to multiples of a frequency.
std::vector<uint64_t> states_of(Random& random, const Pair& pair) {
  const uint64_t least = uint64_t{pair.late} * pair.early << (32 - 2 * Entry::kBits);  // after it gave a word
  const uint64_t greatest = greatest_of(pair);
  std::vector<uint64_t> states{least, least + 1, greatest - 1, greatest};
  for (int i = 0; i < 20; ++i) {
    const uint64_t any = least + (random.next() >> random.below(32)) % (greatest - least);
    const uint64_t multiple = std::max(any / pair.late * pair.late, least + 1);
    for (const uint64_t state : {any, multiple - 1, multiple, any >> 32 << 32, any | 0xffff'ffff}) {
      states.push_back(std::clamp(state, least, greatest));
    }
  }
  return states;
}

TEST(AnsEncodeStep, AgreesWithExactDivision) {
  for (const uint64_t number : drawn(kSlots)) {
    const auto late = static_cast<uint32_t>(number) + 1;
    Random random(number);
    for (int i = 0; i < 20; ++i) {
      const Pair pair{late, early_of(random, late)};
      const uint32_t late_begin = begin_of(random, pair.late);
      const uint32_t early_begin = begin_of(random, pair.early);
      for (const uint64_t state : states_of(random, pair)) {
        const uint64_t exact =
            Symbol::of(pair.early, early_begin)
                .next(Symbol::of(pair.late, late_begin).next(state, Entry::kBits), Entry::kBits);
        ASSERT_EQ(
            Entry::next(state, Entry::of(pair.late, late_begin), Entry::of(pair.early, early_begin), {}),
            exact)
            << pair.late << ", " << pair.early << ", state " << state;
        ASSERT_TRUE(Entry::fit(state, Entry::of(pair.late, late_begin), Entry::of(pair.early, early_begin)));
      }
      if (const uint64_t beyond = greatest_of(pair) + 1; beyond != 0) {
        ASSERT_FALSE(
            Entry::fit(beyond, Entry::of(pair.late, late_begin), Entry::of(pair.early, early_begin)));
      }
    }
  }
}

}  // namespace
}  // namespace bobbin::testing
