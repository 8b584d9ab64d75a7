// SPDX-License-Identifier: Apache-2.0
// Specific to zigzag: the formula, its types, and what is refused.
#include "codecs/zigzag/zigzag.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "array/array.hpp"
#include "codecs/registry.hpp"

namespace bobbin::testing {
namespace {

TEST(Zigzag, EveryCodeOfEightBits) {
  for (int value = -128; value < 128; ++value) {
    const auto bits = static_cast<uint8_t>(value);
    const auto code = static_cast<uint8_t>(value >= 0 ? 2 * value : -2 * value - 1);
    EXPECT_EQ(codec::zigzag::code_of(bits), code);
    EXPECT_EQ(codec::zigzag::value_of_code(code), bits);
  }
}

TEST(Zigzag, IsForIntegersWithASign) {
  const Codec& codec = *find_codec(CodecId::zigzag);
  for (const DType type : kAllTypes) {
    EXPECT_EQ(codec.takes(type), is_signed(type));
  }
  const std::vector<uint32_t> values(10);
  EXPECT_EQ(codec.encode({DType::u32, values.data(), 10}).error().code(), StatusCode::unsupported);
  EXPECT_EQ(codec.encode({DType::f32, values.data(), 10}).error().code(), StatusCode::unsupported);
}

TEST(Zigzag, SplitHasTheCodes) {
  const std::vector<int32_t> values{0, -1, 1, -300, 300};
  const Split split = *codec::zigzag::split({DType::i32, values.data(), values.size()});
  ASSERT_EQ(split.children.size(), 1U);
  EXPECT_EQ(split.children[0].type, DType::u32);
  const auto codes = split.children[0].view().as<uint32_t>();
  EXPECT_EQ(std::vector<uint32_t>(codes.begin(), codes.end()), (std::vector<uint32_t>{0, 1, 2, 599, 600}));
}

TEST(Zigzag, LiesAreRefused) {
  const std::vector<int32_t> values{0, -1, 1, -300, 300};
  const Array array = *codec::zigzag::kCodec.encode({DType::i32, values.data(), values.size()});
  ASSERT_TRUE(array::validate(array).ok());
  for (const DType type : {DType::u32, DType::i64, DType::f32, DType::utf8}) {
    Array other = array;
    other.type = type;
    EXPECT_EQ(array::validate(other).code(), StatusCode::corrupt);
  }
  Array with_sign = array;
  with_sign.children[0].type = DType::i32;
  EXPECT_EQ(array::validate(with_sign).code(), StatusCode::corrupt);
  Array shorter = array;
  shorter.length = 4;
  EXPECT_EQ(array::validate(shorter).code(), StatusCode::corrupt);
  Array alone = array;
  alone.children.clear();
  EXPECT_EQ(array::validate(alone).code(), StatusCode::corrupt);
}

}  // namespace
}  // namespace bobbin::testing
