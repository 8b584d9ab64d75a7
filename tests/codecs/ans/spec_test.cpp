// SPDX-License-Identifier: Apache-2.0
// The example of spec.md, other layouts than the encoder's, and what a decoder must refuse.
#include <cstring>
#include <functional>

#include "codecs/ans/ans.hpp"
#include "tests/codecs/by_hand.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

using codec::ans::Layout;

Array example() {
  constexpr std::array<uint64_t, 3> kStates{0x1'7878'ffff, 0x103'060a'0fff, 0x1'040a'1423};
  const NewBuffer segments = make_buffer(264);
  for (size_t lane = 0; lane < 32; ++lane) {
    std::memcpy(segments.data + 8 * lane, &kStates[std::min<size_t>(lane, 2)], 8);
  }
  constexpr uint64_t kWord = 0x7978'ffff;
  std::memcpy(segments.data + 256, &kWord, 8);
  return {.codec = CodecId::ans,
          .type = DType::u8,
          .length = 132,
          .offset = 0,
          .metadata = {8, 14, 0x78, 132, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          .buffers = {buffer_of({0xff, 0, 1, 0}), segments.buffer, buffer_of({0, 0, 0, 0, 0x21, 0, 0, 0})},
          .children = {}};
}

TEST(AnsSpec, Example) {
  std::vector<uint8_t> expected(132, 0x78);
  std::fill_n(expected.begin(), 5, uint8_t{0x79});
  expected[129] = 0x79;
  expect_decodes_to<uint8_t>(example(), expected);
}

// Words that are missing are zeros, those left over are ignored.
TEST(AnsSpec, TooFewAndTooManyWords) {
  Array fewer = example();
  fewer.buffers[1] = fewer.buffers[1].sub(0, 256);
  fewer.buffers[2] = buffer_of({0, 0, 0, 0, 0x20, 0, 0, 0});
  EXPECT_EQ(check_any_array(fewer, Backend::emulator), "");
  std::vector<uint8_t> values(132);
  find_codec(CodecId::ans)->decode(fewer, values.data());
  EXPECT_EQ(values[1], 0x79);
  EXPECT_EQ(values[2], 0x78);  // the word's ff made it 79
  Array more = example();
  const NewBuffer longer = make_buffer(2000);
  std::fill_n(longer.data, 2000, std::byte{0xee});
  std::ranges::copy(more.buffers[1].bytes, longer.data);
  more.buffers[1] = longer.buffer;
  more.buffers[2] = buffer_of({5, 0, 0, 0, 0xff, 0, 0, 0});
  expect_decodes_to<uint8_t>(more, [] {
    std::vector<uint8_t> expected(132, 0x78);
    std::fill_n(expected.begin(), 5, uint8_t{0x79});
    expected[129] = 0x79;
    return expected;
  }());
}

TEST(AnsSpec, EveryLayout) {
  constexpr uint32_t kLogs[] = {10, 13, 17};
  Random random(3);
  std::vector<uint8_t> values(70'000);
  for (uint8_t& value : values) {
    value = static_cast<uint8_t>(random.below(200) * random.below(256) / 256);
  }
  for (uint32_t bits = 8; bits <= 11; ++bits) {
    for (const uint32_t log : drawn_of(kLogs)) {
      const Array array = *codec::ans::encode_with({.bits = bits, .segment_log = log},
                                                   {DType::u8, values.data(), values.size()});
      expect_decodes_to<uint8_t>(array, values);
    }
  }
}

TEST(AnsSpec, Refused) {
  EXPECT_TRUE(array::validate(example()).ok());
  struct Case {
    const char* what;
    std::function<void(Array&)> damage;
  };
  const auto state = [](uint64_t value) {
    return [value](Array& array) {
      const NewBuffer copy = make_buffer(array.buffers[1].bytes.size());
      std::ranges::copy(array.buffers[1].bytes, copy.data);
      std::memcpy(copy.data + 248, &value, 8);
      array.buffers[1] = copy.buffer;
    };
  };
  const Case cases[] = {
      {"7 bits", [](Array& array) { array.metadata[0] = 7; }},
      {"12 bits", [](Array& array) { array.metadata[0] = 12; }},
      {"another sum", [](Array& array) { array.metadata[0] = 9; }},
      {"segments of 512", [](Array& array) { array.metadata[1] = 9; }},
      {"segments of 2^18", [](Array& array) { array.metadata[1] = 18; }},
      {"bytes above 255", [](Array& array) { array.metadata[2] = 255; }},
      {"fewer values", [](Array& array) { array.metadata[3] = 131; }},
      {"too many values", [](Array& array) { array.metadata[10] = 1; }},
      {"a segment without rows", [](Array& array) { array.length = 0; }},
      {"skipped values", [](Array& array) { array.metadata[11] = 1; }},
      {"frequencies below the sum",
       [](Array& array) {
         array.buffers[0] = buffer_of({0xfe, 0, 1, 0});
       }},
      {"frequencies above the sum",
       [](Array& array) {
         array.buffers[0] = buffer_of({0xff, 0, 2, 0});
       }},
      {"a sum that wraps",
       [](Array& array) {
         array.buffers[0] = buffer_of({0xff, 0xff, 1, 1});
       }},
      {"an odd byte",
       [](Array& array) {
         array.buffers[0] = buffer_of({0xff, 0, 1, 0, 0});
       }},
      {"no frequencies", [](Array& array) { array.buffers[0] = buffer_of({}); }},
      {"offsets that descend",
       [](Array& array) {
         array.buffers[2] = buffer_of({9, 0, 0, 0, 8, 0, 0, 0});
       }},
      {"no room for states",
       [](Array& array) {
         array.buffers[2] = buffer_of({0, 0, 0, 0, 31, 0, 0, 0});
       }},
      {"offsets past the end",
       [](Array& array) {
         array.buffers[2] = buffer_of({0, 0, 0, 0, 34, 0, 0, 0});
       }},
      {"a state of 0", state(0)},
      {"a state of 2^32 - 1", state(0xffff'ffff)},
  };
  for (const Case& each : cases) {
    Array array = example();
    each.damage(array);
    const Status status = array::validate(array);
    EXPECT_EQ(status.code(), StatusCode::corrupt) << each.what;
  }
}

}  // namespace
}  // namespace bobbin::testing
