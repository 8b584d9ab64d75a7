// SPDX-License-Identifier: Apache-2.0
#include "codecs/alp/alp.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "codecs/alp/tile.hpp"

namespace bobbin::testing {
namespace {

using codec::alp::DeviceScaling;
using codec::alp::kMaxExponent;
using codec::alp::kPowers;

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
