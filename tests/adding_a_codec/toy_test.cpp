// SPDX-License-Identifier: Apache-2.0
// A codec added by the steps of docs/adding-a-codec.md passes what every codec has to pass.
#include <gtest/gtest.h>

#include <algorithm>

#include "codecs/registry.hpp"
#include "device/backends.hpp"
#include "select/cascade.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

// Calls check(codec, input, random) for the toy's edges and some drawn inputs.
template <class Check>
void for_each_toy_input(Check&& check) {
  const auto all = components();
  const auto toy = std::ranges::find(all, CodecId::toy, &Component::codec);
  ASSERT_NE(toy, all.end());
  const Codec& codec = *find_codec(CodecId::toy);
  Random random(11);
  std::vector<Input> inputs = drawn_of(toy->edges());
  for (size_t i = 0; i < drawn(10).size(); ++i) {
    inputs.push_back(toy->generate(random));
  }
  for (const Input& input : inputs) {
    EXPECT_EQ(check(codec, input, random), "") << input.name;
  }
}

TEST(AddedCodec, IsInTheRegistry) {
  const Codec* const toy = find_codec("toy");
  ASSERT_NE(toy, nullptr);
  EXPECT_EQ(all_codecs().back(), toy);
  EXPECT_NE(std::ranges::find(value_codecs(), toy), value_codecs().end());
}

TEST(AddedCodec, PassesTheChecksOfEveryCodec) {
  for_each_toy_input(
      [](const Codec& codec, const Input& input, Random&) { return check_round_trip(codec, input); });
  for_each_toy_input(&check_operations);
  for_each_toy_input(
      [](const Codec& codec, const Input& input, Random&) { return check_shapes_refused(codec, input); });
  for_each_toy_input([](const Codec& codec, const Input& input, Random& random) {
    return check_flips(codec, input, 20, random);
  });
}

TEST(AddedCodec, DecodesOnADevice) {
  if (!has_backend(Backend::emulator)) {
    GTEST_SKIP() << "this build has no emulator";
  }
  for_each_toy_input([](const Codec& codec, const Input& input, Random& random) {
    return check_backend(codec, input, Backend::emulator, random);
  });
}

TEST(AddedCodec, IsPartOfCascades) {
  const auto cascade = select::parse_cascade("rle(toy(ffor), toy)");
  ASSERT_TRUE(cascade.has_value()) << cascade.error().message();
  const std::vector<uint32_t> values(5000, 7);
  const auto array = select::encode(*cascade, {DType::u32, values.data(), values.size()}, Backend::cpu);
  ASSERT_TRUE(array.has_value()) << array.error().message();
  EXPECT_EQ(select::to_string(select::cascade_of(*array)), "rle(toy(ffor), toy(constant))");
}

}  // namespace
}  // namespace bobbin::testing
