// SPDX-License-Identifier: Apache-2.0
// Dictionaries of strings: round trips, slices, single strings, tests, nulls, codes past the end, damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "array/strings.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "tests/backends.hpp"
#include "tests/codecs/fsst/strings.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

Array encoded(const Strings& strings) {
  const auto array = array::encode_strings(CodecId::dict, strings.view(), nullptr, Backend::cpu);
  EXPECT_TRUE(array.has_value()) << array.error().message();
  return *array;
}

Strings decoded(const Array& array) {
  const auto strings = array::decode_strings(array, Backend::cpu);
  EXPECT_TRUE(strings.has_value()) << strings.error().message();
  return *strings;
}

std::vector<std::string> texts_of(const Strings& strings) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < strings.length(); ++i) {
    const auto string = strings.view().string(i);
    texts.push_back(strings.view().is_null(i) ? "(null)" : std::string(string.begin(), string.end()));
  }
  return texts;
}

Strings numbered(uint64_t different, uint64_t rows) {
  Strings strings;
  for (uint64_t i = 0; i < rows; ++i) {
    strings.push_back(bytes_of(std::to_string(i * 7919 % different)));
  }
  return strings;
}

TEST(DictStrings, Edges) {
  Random random(1);
  for (const StringsInput& input : string_edges()) {
    EXPECT_EQ(check_strings(input.strings, CodecId::dict), "") << input.name;
    EXPECT_EQ(check_strings_on(input.strings, Backend::cpu, random, CodecId::dict), "") << input.name;
  }
}

TEST(DictStrings, Drawn) {
  for (const uint64_t seed : drawn(200)) {
    Random random(seed);
    const Strings strings = draw_from(draw_strings(random), random.below(5000), random);
    ASSERT_EQ(check_strings(strings, CodecId::dict), "") << seed;
    ASSERT_EQ(check_strings_on(strings, Backend::cpu, random, CodecId::dict), "") << seed;
  }
}

TEST(DictStrings, EntriesAscendWithNullFirst) {
  Strings strings;
  strings.type = DType::utf8;
  for (const char* text : {"ab", "b", "", "abc", "ab", "\xc3\xa9"}) {
    strings.push_back(bytes_of(text));
  }
  strings.push_null();
  const auto split = codec::dict::split(strings.view(), strings.length());
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->node.type, DType::utf8);
  EXPECT_EQ(split->strings.type, DType::utf8);
  EXPECT_EQ(texts_of(split->strings), (std::vector<std::string>{"(null)", "", "ab", "abc", "b", "\xc3\xa9"}));
  const auto codes = split->children[0].view().as<uint8_t>();
  EXPECT_EQ(std::vector<int>(codes.begin(), codes.end()), (std::vector<int>{2, 4, 1, 3, 2, 5, 0}));
  const Array array = encoded(strings);
  EXPECT_EQ(array.type, DType::utf8);
  EXPECT_EQ(codec::dict::describe(array), "6 entries");
  EXPECT_EQ(array::present_strings(array).count(), 6U);
}

// As for numbers: see Dict.EntriesFollowRounds. A null is one of the round.
TEST(DictStrings, EntriesFollowRounds) {
  const std::vector<std::string> round{"Norway", "Peru", "(null)", "Chad", "Fiji",
                                       "Oman",   "",     "Cuba",   "Nepal"};
  Strings strings;
  for (size_t i = 0; i < 300; ++i) {
    if (round[i % round.size()] == "(null)") {
      strings.push_null();
    } else {
      strings.push_back(bytes_of(round[i % round.size()]));
    }
  }
  const auto split = codec::dict::split(strings.view(), strings.length());
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(texts_of(split->strings), round);
  EXPECT_EQ(texts_of(decoded(encoded(strings))), texts_of(strings));
  Random random(1);
  EXPECT_EQ(check_strings(strings, CodecId::dict), "");
  EXPECT_EQ(check_strings_on(strings, Backend::cpu, random, CodecId::dict), "");
}

// The bytes of a null do not matter.
TEST(DictStrings, NullsWithBytes) {
  const std::string bytes = "onehiddentwo";
  const std::vector<uint32_t> offsets{0, 3, 9, 12};
  const uint8_t validity = 0b101;
  const StringsView view{.type = DType::binary,
                         .length = 3,
                         .offsets = offsets.data(),
                         .wide = false,
                         .bytes = reinterpret_cast<const uint8_t*>(bytes.data()),
                         .validity = &validity};
  const auto array = codec::dict::encode(view, nullptr);
  ASSERT_TRUE(array.has_value());
  EXPECT_EQ(texts_of(decoded(*array)), (std::vector<std::string>{"one", "(null)", "two"}));
}

TEST(DictStrings, NumbersOfEntries) {
  for (const uint64_t different : {1, 256, 257, 65536}) {
    const Strings strings = numbered(different, different + 100);
    const Array array = encoded(strings);
    ASSERT_TRUE(array::validate(array).ok());
    EXPECT_EQ(array.children[0].type, different <= 256 ? DType::u8 : DType::u16);
    EXPECT_EQ(array.children[1].length, different);
    EXPECT_EQ(decoded(array).bytes, strings.bytes);
    // Too few rows for a dictionary to pay off.
    const Array part = *array::slice(array, different / 2, 3);
    const std::vector<std::string> all = texts_of(strings);
    const auto first = all.begin() + static_cast<ptrdiff_t>(different / 2);
    EXPECT_EQ(texts_of(decoded(part)), std::vector<std::string>(first, first + 3));
  }
  const Strings many = numbered(65537, 65537);
  EXPECT_EQ(codec::dict::encode(many.view(), nullptr).error().code(), StatusCode::unsupported);
  // A null is an entry too.
  Strings with_null = numbered(65536, 65536);
  with_null.push_null();
  EXPECT_EQ(codec::dict::split(with_null.view(), with_null.length()).error().code(), StatusCode::unsupported);
}

TEST(DictStrings, CodesPastTheEnd) {
  Array array = encoded(numbered(3, 10));
  const std::vector<uint8_t> codes{0, 1, 2, 3, 200, 255, 1, 0, 2, 9};
  array.children[0] = *codec::bitpack::encode({DType::u8, codes.data(), codes.size()});
  ASSERT_TRUE(array::validate(array).ok());
  const std::vector<std::string> expected{"0", "1", "2", "2", "2", "2", "1", "0", "2", "2"};
  const std::vector<uint64_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const Backend backend : bobbin::testing::backends_here()) {
    EXPECT_EQ(texts_of(*array::decode_strings(array, backend)), expected);
    EXPECT_EQ(texts_of(*array::take_strings(array, all, backend)), expected);
    const auto twos = array::match_strings(array, {StringTest::equals, bytes_of("2")}, backend);
    EXPECT_EQ(twos->count(), 6U);
    EXPECT_EQ(array::string_lengths(array, backend)->size(), 10U);
  }
  EXPECT_EQ(check_any_strings(array, true), "");
}

// Strings of many bytes that begin and end at any alignment to sixteen.
TEST(DictStrings, LongAndShortTogether) {
  Random random(4);
  Strings entries;
  for (uint64_t size = 0; size < 70; ++size) {
    std::vector<uint8_t> bytes(size % 10 == 0 ? size * 100 : size);
    std::ranges::generate(bytes, [&] { return static_cast<uint8_t>(random.next()); });
    entries.push_back(bytes);
  }
  const Strings strings = draw_from(entries, 3000, random);
  EXPECT_EQ(check_strings(strings, CodecId::dict), "");
  EXPECT_EQ(check_strings_on(strings, Backend::emulator, random, CodecId::dict), "");
}

TEST(DictStrings, TreesThatLie) {
  const Array good = encoded(numbered(5, 40));
  const auto refused = [&](auto&& change) {
    Array bad = good;
    change(bad);
    return !array::validate(bad).ok();
  };
  EXPECT_FALSE(refused([](Array&) {}));
  EXPECT_TRUE(refused([](Array& a) { a.type = DType::utf8; }));
  EXPECT_TRUE(refused([](Array& a) { a.type = DType::u8; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1] = a.children[0]; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1].codec = CodecId::bitpack; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1].codec = static_cast<CodecId>(77); }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1].metadata.clear(); }));
  EXPECT_TRUE(refused([&](Array& a) { a.children[1] = good; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1].children.pop_back(); }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].codec = CodecId::fsst; }));
  // A total size that overflows: very many rows with a very long string.
  EXPECT_TRUE(refused([](Array& a) { a.length = a.children[0].length = UINT64_MAX / 32; }));
}

// Any flipped bit is refused, detected while decoding, or harmless; all decoders agree.
TEST(DictStrings, FlippedBits) {
  Random random(10 + draw_number());
  const Array good = encoded(draw_from(make_sentences(40, random), 300, random));
  for (uint64_t i = 0; i < 1500 / kDrawnShare; ++i) {
    Array bad = good;
    Array* node = &bad;
    while (!node->children.empty() && (node->buffers.empty() || random.below(2) == 0)) {
      node = &node->children[random.below(node->children.size())];
    }
    const size_t which = random.below(node->buffers.size() + 1);
    if (which == node->buffers.size()) {
      if (!node->metadata.empty()) {
        node->metadata[random.below(node->metadata.size())] ^= static_cast<uint8_t>(1U << random.below(8));
      }
    } else if (const size_t size = node->buffers[which].bytes.size(); size != 0) {
      const NewBuffer fresh = make_buffer(size);
      std::ranges::copy(node->buffers[which].bytes, fresh.data);
      fresh.data[random.below(size)] ^= std::byte{1} << random.below(8);
      node->buffers[which] = fresh.buffer;
    }
    ASSERT_EQ(check_any_strings(bad, i % 16 == 0), "") << i;
  }
}

}  // namespace
}  // namespace bobbin::testing
