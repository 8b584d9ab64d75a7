// SPDX-License-Identifier: Apache-2.0
// Every codec on the CPU.
#include <gtest/gtest.h>

#include <vector>

#include "codecs/registry.hpp"
#include "tests/codecs/checks.hpp"

namespace bobbin::testing {
namespace {

// Calls check(codec, input) for the edges of every component and `drawn` random inputs.
template <class Check>
void for_each_input(int drawn, Check&& check) {
  for (const Component& component : components()) {
    const Codec& codec = *find_codec(component.codec);
    for (const Input& input : component.edges()) {
      EXPECT_EQ(check(codec, input), "") << codec.name << ", " << input.name;
    }
    for (int i = 0; i < drawn; ++i) {
      Random random(static_cast<uint64_t>(i));
      EXPECT_EQ(check(codec, component.generate(random)), "") << codec.name << ", drawn from seed " << i;
    }
  }
}

TEST(Codecs, EveryCodecIsTested) {
  std::vector<CodecId> tested;
  for (const Component& component : components()) {
    tested.push_back(component.codec);
  }
  std::vector<CodecId> of_numbers;
  for (const Codec* codec : all_codecs()) {
    if (codec->decode != nullptr) {
      of_numbers.push_back(codec->id);
    }
  }
  EXPECT_EQ(tested, of_numbers);
}

TEST(Codecs, RoundTrip) {
  for_each_input(100, &check_round_trip);
}

TEST(Codecs, Operations) {
  Random random(7);
  for_each_input(
      50, [&](const Codec& codec, const Input& input) { return check_operations(codec, input, random); });
}

TEST(Codecs, WrongShapesAreRefused) {
  for_each_input(5, &check_shapes_refused);
}

TEST(Codecs, FlippedBits) {
  Random random(9);
  for_each_input(10,
                 [&](const Codec& codec, const Input& input) { return check_flips(codec, input, random); });
}

}  // namespace
}  // namespace bobbin::testing
