// SPDX-License-Identifier: Apache-2.0
// Strings on the GPU.
#include <gtest/gtest.h>

#include "array/strings.hpp"
#include "codecs/fsst/fsst.hpp"
#include "tests/codecs/fsst/strings.hpp"
#include "tests/gpu/seeds.hpp"

namespace bobbin::testing {
namespace {

TEST(GpuStrings, Edges) {
  Random random(1);
  for (const StringsInput& input : string_edges()) {
    ASSERT_EQ(check_strings_on(input.strings, Backend::cuda, random), "") << input.name;
  }
}

TEST(GpuStrings, Drawn) {
  for (uint64_t seed = 0; seed < num_seeds(100); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_strings_on(draw_strings(random), Backend::cuda, random), "") << seed;
  }
}

TEST(GpuStrings, Many) {
  Random random(2);
  ASSERT_EQ(check_strings_on(make_sentences(1'000'000, random), Backend::cuda, random), "");
}

TEST(GpuStrings, Dictionaries) {
  for (uint64_t seed = 0; seed < num_seeds(100); ++seed) {
    Random random(seed);
    const Strings strings = draw_from(draw_strings(random), random.below(20'000), random);
    ASSERT_EQ(check_strings_on(strings, Backend::cuda, random, CodecId::dict), "") << seed;
  }
}

TEST(GpuStrings, ManyOfADictionary) {
  Random random(4);
  const Strings strings = draw_from(make_sentences(60'000, random), 1'000'000, random);
  ASSERT_EQ(check_strings_on(strings, Backend::cuda, random, CodecId::dict), "");
}

TEST(GpuStrings, DamageIsFound) {
  Random random(3);
  auto array =
      array::encode_strings(CodecId::fsst, make_sentences(5000, random).view(), nullptr, Backend::cpu);
  const NewBuffer codes = make_buffer(array->buffers[1].bytes.size());
  for (int i = 0; i < 50; ++i) {
    std::ranges::copy(array->buffers[1].bytes, codes.data);
    codes.data[random.below(codes.buffer.bytes.size())] ^= std::byte{0x55};
    Array bad = *array;
    bad.buffers[1] = codes.buffer;
    const auto there = array::decode_strings(bad, Backend::cuda);
    const auto here = array::decode_strings(bad, Backend::cpu);
    ASSERT_EQ(there.has_value(), here.has_value());
    ASSERT_TRUE(!here.has_value() || here->bytes == there->bytes);
  }
}

// More than 2^31 bytes: 64-bit offsets.
TEST(GpuStrings, OneHugeString) {
  Strings strings;
  strings.push_back(bytes_of("small"));
  const std::string_view text = "All work and no play makes a dull column. ";
  std::vector<uint8_t> bytes(uint64_t{9} << 28);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(text[i % text.size()] + (i >> 20 & 3));
  }
  strings.push_back(bytes);
  strings.push_back(bytes_of("end"));
  const auto array = array::encode_strings(CodecId::fsst, strings.view(), nullptr, Backend::cuda);
  ASSERT_TRUE(array.has_value()) << array.error().message();
  ASSERT_TRUE(array::validate(*array).ok());
  EXPECT_EQ(array->children[1].type, DType::u64);
  const auto decoded = array::decode_strings(*array, Backend::cuda);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_TRUE(decoded->bytes == strings.bytes);
  EXPECT_EQ(decoded->offsets, strings.offsets);
}

}  // namespace
}  // namespace bobbin::testing
