// SPDX-License-Identifier: Apache-2.0
#include "codecs/alp/alp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codecs/alp/tile.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

using codec::alp::DeviceScaling;
using codec::alp::kMaxExponent;
using codec::alp::kPowers;

using codec::alp::Scale;

// The cheapest of all scales, each measured on the whole sample; the first of equal ones in their order.
template <class Float>
Scale best_by_all(const std::vector<Float>& sample) {
  using Integer = codec::alp::IntegerOf<Float>;
  Scale best;
  uint32_t least = UINT32_MAX;
  uint32_t most = 0;
  for (uint32_t e = kMaxExponent<Float> + 1; e-- > 0;) {
    for (uint32_t f = e + 1; f-- > 0;) {
      const Scale scale{static_cast<uint8_t>(e), static_cast<uint8_t>(f)};
      const auto quantizer = codec::alp::Quantizer<Float>::of(scale);
      uint32_t exceptions = 0;
      Integer low = std::numeric_limits<Integer>::max();
      Integer high = std::numeric_limits<Integer>::min();
      for (const Float value : sample) {
        const auto encoded = quantizer.encode(value);
        exceptions += encoded.exact ? 0 : 1;
        low = encoded.exact ? std::min(low, encoded.integer) : low;
        high = encoded.exact ? std::max(high, encoded.integer) : high;
      }
      const uint32_t bits =
          codec::alp::sample_cost<Float>(static_cast<uint32_t>(sample.size()), exceptions, low, high);
      most = std::max(most, bits);
      if (bits < least) {
        least = bits;
        best = scale;
      }
    }
  }
  return least < most ? best : Scale{};
}

// Decimals of some number of digits, with others among them.
template <class Float>
void expect_best_scales(uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < 300; ++i) {
    const uint64_t digits = random.below(kMaxExponent<Float> + 1);
    const uint64_t size = uint64_t{1} << random.below(sizeof(Float) == 8 ? 60 : 30);
    const uint64_t others = random.below(3) == 0 ? 1 + random.below(10) : 100;
    std::vector<Float> sample;
    for (uint64_t n = 1 + random.below(63); n > 0; --n) {
      const auto integer = static_cast<double>(random.below(size)) -
                           (random.below(2) == 0 ? static_cast<double>(size) / 2 : 0);
      sample.push_back(random.below(others) == 0
                           ? std::bit_cast<Float>(static_cast<codec::alp::FloatBits<Float>>(random.next()))
                           : static_cast<Float>(std::floor(integer) / kPowers<double>.up[digits]));
    }
    const std::vector<std::vector<Float>> samples{sample};
    ASSERT_EQ(codec::alp::choose_scales<Float>(samples).front(), best_by_all(sample)) << "sample " << i;
  }
}

// Most scales are given up after a few values, and some are not tried: the choice is the same.
TEST(Alp, TheBestScaleIsFoundWithoutTryingAll) {
  expect_best_scales<double>(3);
  expect_best_scales<float>(4);
}

uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}

// Every significand once: neither a power of two nor the sign changes how a quotient is rounded, as long as
// it is not subnormal, x is an integer of 31 bits, and e is at most 10.
TEST(Alp, QuotientsOnADeviceAreThoseOfADivision) {
  for (uint32_t e = 0; e <= kMaxExponent<float>; ++e) {
    const auto scaling = DeviceScaling<float>::of(kPowers<float>, e, 0);
    uint32_t differ = 0;
    for (uint32_t significand = 1U << 23; significand < 1U << 24; ++significand) {
      const auto x = static_cast<float>(significand);
      differ += static_cast<uint32_t>(bits_of(scaling.quotient(x)) != bits_of(x / kPowers<float>.up[e]));
    }
    EXPECT_EQ(differ, 0) << "exponent " << e;
  }
}

TEST(Alp, QuotientsOfTheLeastAndTheGreatestIntegers) {
  for (uint32_t e = 0; e <= kMaxExponent<float>; ++e) {
    const auto scaling = DeviceScaling<float>::of(kPowers<float>, e, 0);
    for (uint32_t i = 0; i < 100'000; ++i) {
      for (const uint32_t integer : {i, uint32_t{0} - i, INT32_MAX - i, 0x80000000 + i}) {
        ASSERT_EQ(bits_of(scaling.value_of(integer)), bits_of(scaling.scaling.value_of(integer)))
            << integer << ", exponent " << e;
      }
    }
  }
}

}  // namespace
}  // namespace bobbin::testing
