// SPDX-License-Identifier: Apache-2.0
// Specific to constant arrays: values that differ, long outputs, and what is refused.
#include "codecs/constant/constant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "array/array.hpp"
#include "codecs/masked/masked.hpp"

namespace bobbin::testing {
namespace {

TEST(Constant, ValuesThatDifferHaveNoEncoding) {
  std::vector<double> values(1000, 0.0);
  const Values view{DType::f64, values.data(), values.size()};
  EXPECT_EQ(codec::constant::estimate(view), 8U);
  values[999] = -0.0;  // equal, but with different bits
  EXPECT_EQ(codec::constant::estimate(view), kNoEncoding);
  EXPECT_EQ(codec::constant::encode(view).error().code(), StatusCode::unsupported);
}

// Bypassing the caches, from an address that is aligned only to a value.
TEST(Constant, LongOutputsAreFilledToTheirEnds) {
  const uint64_t length = (uint64_t{3} << 20) + 5;
  const std::vector<uint16_t> values(length, 0xabcd);
  const Array array = *codec::constant::encode({DType::u16, values.data(), length});
  for (const uint64_t before : {0U, 1U, 8U}) {
    std::vector<uint16_t> out(before + length + 8);
    codec::constant::decode(array, out.data() + before);
    const auto first = out.begin() + static_cast<ptrdiff_t>(before);
    EXPECT_TRUE(std::all_of(first, first + static_cast<ptrdiff_t>(length),
                            [](uint16_t value) { return value == 0xabcd; }));
    EXPECT_EQ(std::count(out.begin(), out.end(), 0xabcd), static_cast<ptrdiff_t>(length));
  }
}

TEST(Constant, IsDescribedByItsValue) {
  const std::vector<int8_t> small(3, -7);
  EXPECT_EQ(codec::constant::describe(*codec::constant::encode({DType::i8, small.data(), 3})), "value -7");
  const std::vector<float> reals(3, 0.1F);
  EXPECT_EQ(codec::constant::describe(*codec::constant::encode({DType::f32, reals.data(), 3})), "value 0.1");
  EXPECT_EQ(codec::constant::describe({}), "damaged");
}

TEST(Constant, LiesAreRefused) {
  const std::vector<uint16_t> values(50, 300);
  const Array array = *codec::constant::encode({DType::u16, values.data(), values.size()});
  EXPECT_TRUE(array::validate(array).ok());
  Array narrow = array;
  narrow.type = DType::u8;
  EXPECT_EQ(array::validate(narrow).code(), StatusCode::corrupt);
  Array text = array;
  text.type = DType::utf8;
  EXPECT_EQ(array::validate(text).code(), StatusCode::corrupt);
}

// Validity words that are all equal.
TEST(Constant, CanBeAMasksWords) {
  const std::vector<uint32_t> values(100, 1);
  Array array = *codec::masked::encode({DType::u32, values.data(), values.size()});
  const std::vector<uint32_t> words(4, 0x0000ffff);
  array.children[1] = *codec::constant::encode({DType::u32, words.data(), words.size()});
  ASSERT_TRUE(array::validate(array).ok());
  EXPECT_EQ(array::validity(array)->count(), 52U);
  EXPECT_EQ(array::validity(*array::slice(array, 10, 30))->count(), 14U);
}

}  // namespace
}  // namespace bobbin::testing
