// SPDX-License-Identifier: Apache-2.0
// Packed integers of 16 bits, tested and decoded two at a time, compared with one at a time.
#include "plan/stages/short_reals.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "codecs/alp/alp.hpp"

namespace bobbin::plan {
namespace {

constexpr uint64_t kMost = 0xffff;
constexpr uint64_t kEdges[] = {0,      1,      2,      254,    255,    256,   0x7ffe,
                               0x7fff, 0x8000, 0x8001, 0xfffd, 0xfffe, 0xffff};

// The test that is made for a range; not `shorts` if there is none.
Use make(int64_t reference, uint64_t low, uint64_t span) {
  Use slot{.width = kShortWidth, .way = Use::Way::direct};
  slot.low = static_cast<uint64_t>(reference);
  Use test{.width = kShortWidth, .way = Use::Way::direct};
  test.low = low;
  test.span = span;
  ShortRange::make<uint64_t>(test, slot);
  return test;
}

void expect_range(int64_t reference, uint64_t low, uint64_t span) {
  const Use test = make(reference, low, span);
  const int64_t first = reference + static_cast<int64_t>(low);
  const bool possible = span < kMost && first >= 0 && first + static_cast<int64_t>(span) <= int64_t{kMost};
  ASSERT_EQ(test.way == Use::Way::shorts, possible) << reference << " + " << low << " to " << low + span;
  if (!possible) {
    return;
  }
  const auto range = ShortRange::of(test);
  const auto integer = [&](uint32_t packed) {
    const bool hit = packed - low <= span;
    return hit ? static_cast<uint32_t>(reference + packed) : 0;
  };
  std::vector<uint32_t> all;
  for (const uint64_t edge : kEdges) {
    all.push_back(static_cast<uint32_t>(edge));
  }
  for (const uint64_t end : {low, low + span}) {
    all.push_back(static_cast<uint32_t>((end - 1) & kMost));
    all.push_back(static_cast<uint32_t>((end + 1) & kMost));
  }
  for (const uint32_t one : all) {
    for (const uint32_t other : all) {
      uint32_t ones = 0;
      ASSERT_EQ(range.integers(other << 16 | one, ones), integer(other) << 16 | integer(one))
          << one << " and " << other << " in " << low << " to " << low + span;
      ASSERT_EQ(ones, (other - low <= span ? 1U << 16 : 0) | (one - low <= span ? 1U : 0));
    }
    ASSERT_EQ(range.holds(one), one - low <= span);
  }
}

TEST(ShortReals, RangesOfBothHalves) {
  for (const uint64_t low : kEdges) {
    for (const uint64_t last : kEdges) {
      if (last < low) {
        continue;
      }
      const auto lowest = -static_cast<int64_t>(low);
      const int64_t highest = static_cast<int64_t>(kMost - last);
      for (const int64_t reference : {lowest - 1, lowest, int64_t{0}, highest, highest + 1}) {
        expect_range(reference, low, last - low);
      }
    }
  }
}

TEST(ShortReals, RangesFarAwayAreNotPossible) {
  constexpr int64_t kFar = int64_t{1} << 32;
  for (const int64_t reference :
       {std::numeric_limits<int64_t>::min(), -kFar, kFar, std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(make(reference, 100, 100).way, Use::Way::direct) << reference;
  }
}

template <class Float, class Convert>
void expect_floats(uint32_t most_factor, Convert&& convert) {
  using namespace codec::alp;
  Powers powers;
  powers.f32 = codec::alp::Powers<float>::make();
  powers.f64 = codec::alp::Powers<double>::make();
  for (uint8_t e = 0; e <= kMaxExponent<Float>; ++e) {
    for (uint8_t f = 0; f <= e && f <= most_factor; ++f) {
      Use use;
      use.e = e;
      use.f = f;
      const auto scaling = ShortScaling<FloatBits<Float>>::of(powers, use);
      const auto expected = kPowers<Float>.scaling(e, f);
      for (uint32_t integer = 0; integer <= kMost; ++integer) {
        ASSERT_EQ(std::bit_cast<uint64_t>(convert(scaling, integer)),
                  std::bit_cast<uint64_t>(double{expected.value_of(integer)}))
            << integer << ", e " << int{e} << ", f " << int{f};
      }
    }
  }
}

// All of them.
TEST(ShortReals, FloatsAreThoseOfTheCodec) {
  expect_floats<float>(
      3, [](const auto& scaling, uint32_t integer) { return double{scaling(integer)} * scaling.kUnit; });
}

// Where the product of the integer does not overflow.
TEST(ShortReals, DoublesAreThoseOfTheCodec) {
  expect_floats<double>(14, [](const auto& scaling, uint32_t integer) { return scaling(integer); });
}

}  // namespace
}  // namespace bobbin::plan
