// SPDX-License-Identifier: Apache-2.0
// The loops of queries on the CPU, in which an error might not show in whole queries.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "plan/host_loops.hpp"

namespace bobbin::testing {
namespace {

// Zeros, infinities, NaNs of both signs, and their neighbours.
template <class Float>
std::vector<Float> special_floats() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> values;
  for (const Float value :
       {Float{0}, Limits::denorm_min(), Limits::min(), Float{1}, Float{2.5}, Limits::max(),
        Limits::infinity(), Limits::quiet_NaN(), Limits::signaling_NaN()}) {
    values.push_back(value);
    values.push_back(std::copysign(value, Float{-1}));
  }
  return values;
}

template <class Float>
void test_all_ranges() {
  const std::vector<Float> ends = special_floats<Float>();
  alignas(32) std::array<BitsOf<Float>, 32> values;
  for (uint32_t i = 0; i < values.size(); ++i) {
    values[i] = std::bit_cast<BitsOf<Float>>(ends[i % ends.size()]);
  }
  for (const Float low : ends) {
    for (const Float high : ends) {
      for (const bool negated : {false, true}) {
        using Bits = BitsOf<Float>;
        const Bits first = range_key<Float>(std::bit_cast<Bits>(low));
        const ValueRange range{first, static_cast<Bits>(range_key<Float>(std::bit_cast<Bits>(high)) - first),
                               negated};
        uint32_t expected = 0;
        for (uint32_t i = 0; i < 32; ++i) {
          expected |= static_cast<uint32_t>(range.holds(kDTypeOf<Float>, {values[i]})) << i;
        }
        uint32_t found = 0;
        plan::test_rows<Float>(values.data(), 1, range, &found);
        EXPECT_EQ(found, expected) << low << " to " << high << (negated ? ", negated" : "");
        if (have_avx2()) {
          plan::test_rows_avx2<Float>(values.data(), 1, range, &found);
          EXPECT_EQ(found, expected) << low << " to " << high << (negated ? ", negated" : "");
        }
      }
    }
  }
}

TEST(HostLoops, EveryRangeOfSpecialFloatsIsTested) {
  test_all_ranges<float>();
  test_all_ranges<double>();
}

}  // namespace
}  // namespace bobbin::testing
