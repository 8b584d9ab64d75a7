// SPDX-License-Identifier: Apache-2.0
// The array codec: strings, layouts, slices that read few frames, damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/registry.hpp"
#include "codecs/zstd/zstd.hpp"
#include "tests/backends.hpp"
#include "tests/codecs/fsst/strings.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

constexpr size_t kStored = 3;  // where the number of stored rows or bytes begins in the metadata

Array encoded_zstd(const Strings& strings) {
  const auto array = array::encode_strings(CodecId::zstd, strings.view(), nullptr, Backend::cpu);
  EXPECT_TRUE(array.has_value()) << array.error().message();
  return *array;
}

template <class T>
Array encoded_zstd(const std::vector<T>& values) {
  return *find_codec(CodecId::zstd)->encode({kDTypeOf<T>, values.data(), values.size()});
}

void set_bytes(Array& array, size_t buffer, std::span<const std::byte> bytes) {
  const NewBuffer fresh = make_buffer(bytes.size());
  std::ranges::copy(bytes, fresh.data);
  array.buffers[buffer] = fresh.buffer;
}

void flip(Array& array, size_t buffer, size_t at, uint8_t mask) {
  set_bytes(array, buffer, array.buffers[buffer].bytes);
  const_cast<std::byte&>(array.buffers[buffer].bytes[at]) ^= std::byte{mask};
}

// The frame of `content`, without its magic number.
std::vector<std::byte> frame_of(std::span<const std::byte> content, bool checksum) {
  std::vector<std::byte> frame = *zstd::encode(content, {.checksum = checksum});
  frame.erase(frame.begin(), frame.begin() + 4);
  return frame;
}

TEST(ZstdStrings, Edges) {
  Random random(1);
  for (const StringsInput& input : string_edges()) {
    EXPECT_EQ(check_strings(input.strings, CodecId::zstd), "") << input.name;
    EXPECT_EQ(check_strings_on(input.strings, Backend::cpu, random, CodecId::zstd), "") << input.name;
  }
}

TEST(ZstdStrings, Drawn) {
  for (const uint64_t seed : drawn(100)) {
    Random random(seed);
    const Strings strings = draw_strings(random);
    ASSERT_EQ(check_strings(strings, CodecId::zstd), "") << seed;
    ASSERT_EQ(check_strings_on(strings, Backend::cpu, random, CodecId::zstd), "") << seed;
  }
}

TEST(ZstdStrings, ManyFrames) {
  Random random(2);
  const Strings strings = make_sentences(20'000, random);
  EXPECT_EQ(check_strings(strings, CodecId::zstd), "");
  EXPECT_EQ(check_strings_on(strings, Backend::cpu, random, CodecId::zstd), "");
}

TEST(ZstdStrings, SlicesKeepTheFramesTheyNeed) {
  Random random(3);
  const Strings strings = make_sentences(20'000, random);
  const Array array = encoded_zstd(strings);
  ASSERT_GT(strings.bytes.size(), 5U << 16);
  const Array few = *array::slice(array, 10'000, 10);
  EXPECT_LT(few.buffers[0].bytes.size(), array.buffers[0].bytes.size() / 2);
  EXPECT_LE(few.buffers[1].bytes.size(), 3 * sizeof(uint32_t));
  // A slice of strings without bytes has no frames.
  const Array none = *array::slice(array, 10'000, 0);
  EXPECT_TRUE(none.buffers[0].bytes.empty());
  EXPECT_TRUE(array::validate(none).ok());
}

TEST(ZstdStrings, TextTakesLessThanSymbols) {
  Random random(4);
  const Strings strings = make_sentences(5000, random);
  const auto by_symbols = array::encode_strings(CodecId::fsst, strings.view(), nullptr, Backend::cpu);
  EXPECT_LT(array::encoded_bytes(encoded_zstd(strings)), array::encoded_bytes(*by_symbols) * 9 / 10);
}

TEST(ZstdStrings, DamageIsFound) {
  Random random(9);
  const Array good = encoded_zstd(make_sentences(4000, random));
  const auto refused = [&](const char* what, const std::function<void(Array&)>& damage) {
    Array bad = good;
    damage(bad);
    if (array::validate(bad).ok()) {
      for (const Backend backend : backends_here()) {
        EXPECT_FALSE(array::decode_strings(bad, backend).has_value()) << what;
      }
    }
    EXPECT_EQ(check_any_strings(bad, true), "") << what;
  };
  refused("frames of 2^9 bytes", [](Array& a) { a.metadata[0] = 9; });
  refused("frames of 2^18 bytes", [](Array& a) { a.metadata[0] = 18; });
  refused("frames of another size", [](Array& a) { a.metadata[0] = 15; });
  refused("a width", [](Array& a) { a.metadata[1] = 2; });
  refused("planes", [](Array& a) { a.metadata[2] = 2; });
  refused("no planes", [](Array& a) { a.metadata[2] = 0; });
  refused("more content", [](Array& a) { ++a.metadata[kStored]; });
  refused("less content", [](Array& a) { --a.metadata[kStored]; });
  refused("very much content", [](Array& a) { a.metadata[kStored + 7] = 255; });
  refused("another first offset", [](Array& a) { ++a.metadata[kStored + 8]; });
  refused("a first offset past the offsets' type", [](Array& a) { a.metadata[kStored + 8 + 4] = 1; });
  refused("skipped bytes", [](Array& a) { ++a.metadata[kStored + 16]; });
  refused("bytes that are left", [](Array& a) { ++a.metadata[kStored + 24]; });
  refused("frame offsets that descend", [](Array& a) { flip(a, 1, 7, 0x80); });
  refused("an offset inside of a frame", [](Array& a) { flip(a, 1, 4, 1); });
  refused("a frame's header", [](Array& a) { flip(a, 0, 0, 0x20); });
  refused("a dictionary", [](Array& a) { flip(a, 0, 0, 1); });
  refused("a null with bytes", [](Array& a) { a.buffers[2] = make_buffer((a.length + 7) / 8).buffer; });
  refused("no offsets", [](Array& a) { a.children.pop_back(); });
  refused("fewer offsets", [](Array& a) { a.children[0] = *array::slice(a.children[0], 0, a.length); });
  refused("no validity", [](Array& a) { a.buffers.pop_back(); });
}

TEST(ZstdStrings, FlippedBitsAreRefusedOrHarmless) {
  Random random(10 + draw_number());
  const Array good = encoded_zstd(make_sentences(300, random));
  for (uint64_t i = 0; i < 600 / kDrawnShare; ++i) {
    Array bad = good;
    const auto mask = static_cast<uint8_t>(1U << random.below(8));
    if (random.below(4) == 0) {
      bad.metadata[random.below(bad.metadata.size())] ^= mask;
    } else {
      flip(bad, 0, random.below(bad.buffers[0].bytes.size()), mask);
    }
    ASSERT_EQ(check_any_strings(bad, i % 20 == 0), "") << i;
  }
}

// The host leaves these to the device, which would read outside of the strings if it trusted them.
TEST(ZstdStrings, DamagedOffsetsAreFoundByTheDevice) {
  SKIP_WITHOUT_EMULATOR();
  Random random(12);
  Strings strings = make_sentences(2000, random);
  for (int i = 0; i < 500; ++i) {
    strings.push_null();
  }
  const Array good = encoded_zstd(strings);
  const Array arrays[] = {good, *array::slice(good, 1900, 300)};
  size_t refused = 0;
  for (const uint64_t i : drawn(100)) {
    Array bad = arrays[i % 2];
    std::vector<Array*> nodes{&bad.children[0]};
    for (size_t n = 0; n < nodes.size(); ++n) {
      for (Array& child : nodes[n]->children) {
        nodes.push_back(&child);
      }
    }
    std::erase_if(nodes, [](const Array* node) { return node->buffers.empty(); });
    Array& node = *nodes[random.below(nodes.size())];
    const size_t buffer = random.below(node.buffers.size());
    if (node.buffers[buffer].bytes.empty()) {
      continue;
    }
    flip(node, buffer, random.below(node.buffers[buffer].bytes.size()),
         static_cast<uint8_t>(1 + random.below(255)));
    refused += array::validate_for(bad, Backend::emulator).ok() && !array::validate(bad).ok() ? 1 : 0;
    ASSERT_EQ(check_any_strings(bad, true), "") << i;
  }
  if (kAllCasesRun) {
    EXPECT_GE(refused, 20U);
  }
}

// Damage that only decoding finds: whoever decodes reports it, and other frames stay usable.
TEST(ZstdStrings, ADamagedFrameLeavesTheOthers) {
  Random random(11);
  const Strings strings = make_sentences(20'000, random);
  Array array = encoded_zstd(strings);
  std::vector<std::byte> frames(array.buffers[0].bytes.begin(), array.buffers[0].bytes.end());
  uint32_t second = 0;
  std::memcpy(&second, array.buffers[1].bytes.data() + sizeof second, sizeof second);
  frames[second - 1] ^= std::byte{0x5a};  // the end of the first frame: where its bits are read from
  set_bytes(array, 0, frames);
  ASSERT_TRUE(array::validate(array).ok());
  EXPECT_EQ(array::decode_strings(array, Backend::cpu).error().code(), StatusCode::corrupt);
  const uint64_t last = array.length - 5;
  const auto rest = array::decode_strings(*array::slice(array, last, 5), Backend::cpu);
  ASSERT_TRUE(rest.has_value()) << rest.error().message();
  EXPECT_TRUE(std::ranges::equal(rest->view().string(0), strings.view().string(last)));
}

TEST(ZstdNumbers, UseAsFewBytesAsTheRangeNeeds) {
  std::vector<int64_t> values(5000);
  std::iota(values.begin(), values.end(), int64_t{-1'000'000'000'000});
  const Array array = encoded_zstd(values);
  EXPECT_EQ(array.metadata[1], 2);
  EXPECT_EQ(find_codec(CodecId::zstd)->describe(array), "2 frames, 2 bytes per value in planes");
  // A slice takes the values that validate() has decoded along.
  ASSERT_TRUE(array::validate(array).ok());
  const Array part = *array::slice(array, 4000, 100);
  EXPECT_EQ(array::value_at(part, 3)->bits, static_cast<uint64_t>(values[4003]));
  ASSERT_TRUE(array::validate(part).ok());
  EXPECT_EQ(array::value_at(part, 3)->bits, static_cast<uint64_t>(values[4003]));
}

TEST(ZstdNumbers, SlicesKeepTheFramesTheyNeed) {
  std::vector<uint16_t> values(300'000);
  Random random(12);
  for (uint16_t& value : values) {
    value = static_cast<uint16_t>(random.below(3000));
  }
  const Array array = encoded_zstd(values);
  const Array part = *array::slice(array, 200'001, 1000);
  EXPECT_LT(part.buffers[0].bytes.size(), array.buffers[0].bytes.size() / 3);
  ASSERT_TRUE(array::validate(part).ok());
  std::vector<uint16_t> decoded(1000);
  ASSERT_TRUE(array::decode(part, std::as_writable_bytes(std::span(decoded))).ok());
  EXPECT_TRUE(std::equal(decoded.begin(), decoded.end(), values.begin() + 200'001));
}

// Numbers cannot report damage when they are decoded: validate() finds all of it.
TEST(ZstdNumbers, DamagedContentIsRefused) {
  const std::vector<std::byte> content(1024, std::byte{7});
  Array array = encoded_zstd(std::vector<uint8_t>(1024, 7));
  array.metadata[kStored + 8] = 0;
  set_bytes(array, 0, frame_of(content, true));
  ASSERT_TRUE(array::validate(array).ok()) << array::validate(array).message();
  flip(array, 0, array.buffers[0].bytes.size() - 1, 1);
  EXPECT_EQ(array::validate(array).code(), StatusCode::corrupt);
}

// Frames that a device would leave to the CPU are refused, because numbers are decoded where they are.
TEST(ZstdNumbers, FramesOfManyBlocksAreRefused) {
  Array array = encoded_zstd(std::vector<uint8_t>(1024, 7));
  std::vector<std::byte> frame{std::byte{0x60}, std::byte{0}, std::byte{3}};  // single segment, 1024 bytes
  for (uint32_t block = 0; block < 32; ++block) {
    const uint32_t header = 32U << 3 | 1 << 1 | (block == 31 ? 1 : 0);  // 32 times the same byte
    for (const uint32_t byte : {header & 255, header >> 8 & 255, header >> 16, 0U}) {
      frame.push_back(static_cast<std::byte>(byte));
    }
  }
  set_bytes(array, 0, frame);
  EXPECT_NE(array::validate(array).message().find("too many blocks"), std::string::npos)
      << array::validate(array).message();
}

}  // namespace
}  // namespace bobbin::testing
