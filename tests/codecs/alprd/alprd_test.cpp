// SPDX-License-Identifier: Apache-2.0
#include "codecs/alprd/alprd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "array/array.hpp"

namespace bobbin::testing {
namespace {

using codec::alprd::Cut;

std::vector<double> numbers(uint64_t length) {
  std::vector<double> values(length);
  for (uint64_t i = 0; i < length; ++i) {
    values[i] = 40 + std::sqrt(static_cast<double>(i));
  }
  return values;
}

TEST(AlpRd, TakesFewerBitsThanTheValues) {
  const auto values = numbers(100'000);
  const Array array = *codec::alprd::encode({DType::f64, values.data(), values.size()});
  EXPECT_LT(8.0 * static_cast<double>(array::encoded_bytes(array)) / static_cast<double>(values.size()), 56);
}

TEST(AlpRd, DictionariesThatAreNoneAreRefused) {
  const auto values = numbers(2000);
  const Array array = *codec::alprd::encode({DType::f64, values.data(), values.size()});
  ASSERT_TRUE(array::validate(array).ok());
  const auto refused = [&](const Cut& cut) {
    Array changed = array;
    changed.metadata = metadata_of(cut);
    return !array::validate(changed).ok();
  };
  EXPECT_FALSE(refused({.right_bits = 52, .entries = 3, .dict = {9, 1, 2000}}));
  EXPECT_TRUE(refused({.right_bits = 52, .entries = 3, .dict = {9, 1, 9}}));     // twice
  EXPECT_TRUE(refused({.right_bits = 52, .entries = 3, .dict = {1, 9, 10}}));    // not at its own position
  EXPECT_TRUE(refused({.right_bits = 52, .entries = 3, .dict = {9, 1, 4096}}));  // too large
  EXPECT_TRUE(refused({.right_bits = 47, .entries = 1, .dict = {9}}));
  EXPECT_TRUE(refused({.right_bits = 64, .entries = 1, .dict = {0}}));
  EXPECT_TRUE(refused({.right_bits = 52, .entries = 0, .dict = {}}));
  Array nine = array;
  nine.metadata = {52, 9};
  nine.metadata.resize(2 + 18);
  EXPECT_FALSE(array::validate(nine).ok());
}

}  // namespace
}  // namespace bobbin::testing
