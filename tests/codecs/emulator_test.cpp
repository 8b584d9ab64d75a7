// SPDX-License-Identifier: Apache-2.0
// Every codec's kernels in the emulator, each input with a different schedule.
#include <gtest/gtest.h>

#include "codecs/registry.hpp"
#include "simt/emulator.hpp"
#include "tests/codecs/ans/layouts.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/codecs/delta/series.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

bool encodes_on_device(const Codec& codec) {
  return device_ops(Backend::emulator, codec.id)->encode != nullptr;
}

TEST(EmulatedCodecs, AgreeWithTheCpu) {
  uint64_t seed = 0;
  for (const Component& component : drawn_of(components())) {
    const Codec& codec = *find_codec(component.codec);
    const auto inputs = component.edges();
    // A codec that only decodes there has fewer kernels to test.
    const uint64_t share = encodes_on_device(codec) ? kDrawnShare : 3 * kDrawnShare;
    for (const uint64_t i : drawn(inputs.size(), share)) {
      simt::default_emulator_options().seed = ++seed;
      Random random(seed);
      EXPECT_EQ(check_backend(codec, inputs[i], Backend::emulator, random), "")
          << codec.name << ", " << inputs[i].name << ", schedule " << seed;
    }
  }
}

TEST(EmulatedCodecs, AgreeWithTheCpuOnAnyFloats) {
  for (const Component& component : components()) {
    const Codec& codec = *find_codec(component.codec);
    for (const uint64_t seed : drawn(codec.floats_only ? 60 : 0)) {
      simt::default_emulator_options().seed = seed;
      Random random(seed);
      const Input input = component.generate(random);
      EXPECT_EQ(check_backend(codec, input, Backend::emulator, random), "")
          << codec.name << ", seed " << seed;
    }
  }
  simt::default_emulator_options() = {};
}

// Many tiles that wait for each other: the look-back of encoders.
TEST(EmulatedCodecs, AgreeWithTheCpuUnderManySchedules) {
  std::vector<const Codec*> codecs;
  for (const Component& component : components()) {
    if (const Codec& codec = *find_codec(component.codec); encodes_on_device(codec)) {
      codecs.push_back(&codec);
    }
  }
  for (const uint64_t number : drawn(20 * codecs.size())) {
    const uint64_t seed = number / codecs.size();
    const Codec& codec = *codecs[number % codecs.size()];
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1 + static_cast<uint32_t>(seed % 7);
    Random random(seed);
    Input input{"many tiles",
                codec.bytes_only    ? DType::u8
                : codec.floats_only ? DType::f64
                                    : DType::i16,
                std::vector<std::byte>(200'000)};
    for (std::byte& byte : input.bytes) {
      byte = static_cast<std::byte>(random.next() & 31);
    }
    EXPECT_EQ(check_backend(codec, input, Backend::emulator, random), "")
        << codec.name << ", schedule " << seed;
  }
  simt::default_emulator_options() = {};
}

// Blocks that encode one tile and copy an earlier one, and blocks that only copy.
TEST(EmulatedAns, TilesAreCopiedWhileLaterOnesAreEncoded) {
  Input input{"tiles", DType::u8, std::vector<std::byte>(800'000)};
  for (const uint64_t seed : drawn(2)) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1 + static_cast<uint32_t>(seed);
    Random random(seed);
    for (std::byte& byte : input.bytes) {
      byte = static_cast<std::byte>(random.below(random.below(200) + 1));
    }
    EXPECT_EQ(check_backend(*find_codec(CodecId::ans), input, Backend::emulator, random), "")
        << "schedule " << seed;
  }
  simt::default_emulator_options() = {};
}

// With a block or two, there is work for large ones.
TEST(EmulatedAns, LargeBlocksDecodeEveryLayout) {
  for (const uint64_t number : drawn(8)) {
    const auto bits = static_cast<uint32_t>(8 + number % 4);
    simt::default_emulator_options().seed = number;
    simt::default_emulator_options().resident_blocks = 1 + static_cast<uint32_t>(number / 4);
    Random random(number);
    EXPECT_EQ(check_short_segments(Backend::emulator, bits, 70'000, random), "") << bits << " bits";
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedDelta, EveryParameterDecodes) {
  EXPECT_EQ(check_every_parameter(Backend::emulator, kDrawnShare == 1 ? 5001 : 100), "");
  EXPECT_EQ(check_every_parameter(Backend::emulator, 1030), "");
}

TEST(EmulatedCodecs, AnyCascadeAgreesWithTheReference) {
  for (const uint64_t seed : drawn(150)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    const Array array = draw_cascade(random);
    EXPECT_EQ(check_any_array(array, Backend::emulator), "") << "seed " << seed << ", " << name_of(array);
  }
  simt::default_emulator_options() = {};
}

}  // namespace
}  // namespace bobbin::testing
