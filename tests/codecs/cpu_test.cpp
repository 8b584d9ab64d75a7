// SPDX-License-Identifier: Apache-2.0
// Every codec on the CPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

// Calls check(codec, input) for the edges of every component and for random inputs, drawn from `seeds` seeds.
template <class Check>
void for_each_input(uint64_t seeds, Check&& check) {
  for (const Component& component : components()) {
    const Codec& codec = *find_codec(component.codec);
    for (const Input& input : drawn_of(component.edges(), kDrawnShare)) {
      EXPECT_EQ(check(codec, input), "") << codec.name << ", " << input.name;
    }
    for (const uint64_t seed : drawn(seeds)) {
      Random random(seed);
      EXPECT_EQ(check(codec, component.generate(random)), "") << codec.name << ", drawn from seed " << seed;
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

TEST(Codecs, AreFoundByIdAndByName) {
  CodecId before{};
  for (const Codec* codec : all_codecs()) {
    EXPECT_LT(before, codec->id) << codec->name;
    EXPECT_EQ(find_codec(codec->id), codec) << codec->name;
    EXPECT_EQ(find_codec(codec->name), codec) << codec->name;
    before = codec->id;
  }
  EXPECT_EQ(find_codec(CodecId{}), nullptr);
  EXPECT_EQ(find_codec(static_cast<CodecId>(static_cast<int>(before) + 1)), nullptr);
  EXPECT_EQ(find_codec("none"), nullptr);
}

TEST(Codecs, SplitIntoTheChildrenTheyDeclare) {
  for_each_input(5, [](const Codec& codec, const Input& input) -> std::string {
    if (codec.split == nullptr) {
      return "";
    }
    const Result<Split> split = codec.split(input.values());
    if (!split.has_value() || split->children.size() != codec.parts().size()) {
      return split.has_value() ? "another number of children" : "";
    }
    for (size_t i = 0; i < split->children.size(); ++i) {
      const ChildShape& child = codec.parts()[i];
      if (child.follows == Follows::rows && split->children[i].length != input.values().length) {
        return std::string(child.name) + " do not follow the rows";
      }
    }
    const Array array = *codec.encode(input.values());
    return codec.estimate(input.values()) == array::encoded_bytes(array) ? "" : "the estimate is not exact";
  });
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
  Random random(9 + draw_number());
  const uint64_t flips = drawn(20).size();
  for_each_input(
      10, [&](const Codec& codec, const Input& input) { return check_flips(codec, input, flips, random); });
}

}  // namespace
}  // namespace bobbin::testing
