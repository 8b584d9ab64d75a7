// SPDX-License-Identifier: Apache-2.0
// Cascades as text and as encodings; the choice among them: the expected one for simple shapes, the same
// every time, and never much larger than the values themselves.
#include "select/select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"
#include "select/sample.hpp"
#include "tests/codecs/component.hpp"
#include "tests/drawn.hpp"

namespace bobbin::select {
namespace {

using testing::Random;

template <class T>
std::vector<T> make(uint64_t rows, const std::function<T(uint64_t)>& value) {
  std::vector<T> values;
  for (uint64_t i = 0; i < rows; ++i) {
    values.push_back(value(i));
  }
  return values;
}

template <class T>
Values view(const std::vector<T>& values) {
  return {kDTypeOf<T>, values.data(), values.size()};
}

std::string best(const Values& values, const Goal& goal = {}) {
  return to_string(choose(values, goal).candidates.at(0).cascade);
}

template <class T>
void expect_round_trip(const std::vector<T>& values, const Array& array) {
  ASSERT_TRUE(array::validate(array).ok()) << array::validate(array).message();
  std::vector<T> decoded(values.size());
  ASSERT_TRUE(array::decode(array, std::as_writable_bytes(std::span(decoded))).ok());
  EXPECT_EQ(decoded, values);
}

TEST(Cascade, TextGoesThereAndBack) {
  for (const char* text : {"ffor", "dict(bitpack, delta)", "rle(delta, dict(bitpack, zigzag(ffor)))"}) {
    const auto cascade = parse_cascade(text);
    ASSERT_TRUE(cascade.has_value()) << cascade.error().message();
    EXPECT_EQ(to_string(*cascade), text);
  }
  EXPECT_EQ(to_string(*parse_cascade("  dict( bitpack ,delta ) ")), "dict(bitpack, delta)");
}

TEST(Cascade, OtherTextIsRefusedWithItsPlace) {
  const auto message = [](const std::string& text) { return parse_cascade(text).error().message(); };
  EXPECT_EQ(message("gzip"), "unknown codec \"gzip\"");
  EXPECT_NE(message("dict(bitpack").find("expected ',' or ')' at character 13"), std::string::npos);
  EXPECT_NE(message("dict()").find("expected a codec name at character 6"), std::string::npos);
  EXPECT_NE(message("ffor x").find("expected the end at character 6"), std::string::npos);
  EXPECT_NE(message("").find("a codec name"), std::string::npos);
  std::string deep = "ffor";
  for (uint32_t i = 0; i < kMaxDepth; ++i) {
    deep = "zigzag(" + deep + ")";
  }
  EXPECT_NE(message(deep).find("nested codecs"), std::string::npos);
}

TEST(Cascade, PartsMustFit) {
  const auto values = make<int32_t>(5000, [](uint64_t i) { return static_cast<int32_t>(i % 7) - 3; });
  const auto refused = [&](const char* text) {
    return encode(*parse_cascade(text), view(values), Backend::cpu).error().message();
  };
  EXPECT_EQ(refused("dict(ffor)"), "codec dict expects 2 children, found 1");
  EXPECT_EQ(refused("ffor(bitpack)"), "codec ffor chooses the codecs of its children itself");
  EXPECT_EQ(refused("dict(alp, ffor)"), "codec alp does not support type u8");
  EXPECT_EQ(refused("fsst"), "codec fsst does not support type i32");
  for (const char* text : {"dict(rle(delta, patched), zigzag(bitpack))", "rle(ffor, dict)", "zigzag(dict)",
                           "sparse(delta, ffor)", "zigzag"}) {
    const auto array = encode(*parse_cascade(text), view(values), Backend::cpu);
    ASSERT_TRUE(array.has_value()) << text << ": " << array.error().message();
    expect_round_trip(values, *array);
    EXPECT_EQ(to_string(cascade_of(*array)).substr(0, 4), std::string(text).substr(0, 4));
  }
}

TEST(Select, PlainShapesGetTheirCodec) {
  constexpr uint64_t kRows = 200'000;
  Random random(1);
  EXPECT_EQ(best(view(make<int64_t>(kRows, [](uint64_t) { return 7; }))), "constant");
  EXPECT_TRUE(best(view(make<int64_t>(kRows, [](uint64_t i) {
                return static_cast<int64_t>(i / 500 * 7919 % 100'003);
              }))).starts_with("rle("));
  EXPECT_TRUE(best(view(make<int64_t>(kRows, [&](uint64_t) {
                return random.below(1000) == 0 ? static_cast<int64_t>(random.next() >> 8) : 5;
              }))).starts_with("sparse("));
  EXPECT_TRUE(best(view(make<uint64_t>(kRows, [&](uint64_t) {
                return 0x1234'5678'9abc'def1 * (1 + random.below(50));
              }))).starts_with("dict("));
  EXPECT_EQ(best(view(make<int64_t>(
                kRows, [&](uint64_t i) { return static_cast<int64_t>(i * 1000 + random.below(16)); }))),
            "delta");
  EXPECT_EQ(best(view(make<uint32_t>(kRows, [&](uint64_t) { return static_cast<uint32_t>(random.next()); }))),
            "bitpack");
}

// Sequences that restart take a few bytes, whatever the number of rows.
TEST(Select, SequencesThatRestartAreTiny) {
  constexpr uint64_t kRows = 200'000;
  const auto bytes_of = [](const auto& values) {
    const auto array = encode(view(values), Goal{}, Backend::cpu);
    EXPECT_TRUE(array.has_value());
    expect_round_trip(values, *array);
    return array::encoded_bytes(*array);
  };
  EXPECT_LT(bytes_of(make<int64_t>(kRows, [](uint64_t i) { return static_cast<int64_t>(i); })), 200U);
  EXPECT_LT(bytes_of(make<int64_t>(kRows, [](uint64_t i) { return static_cast<int64_t>(i % 24); })), 2000U);
  EXPECT_LT(bytes_of(make<int32_t>(kRows, [](uint64_t i) { return static_cast<int32_t>(16'000 + i % 365); })),
            1000U);
  EXPECT_LT(bytes_of(make<int32_t>(kRows, [](uint64_t i) { return static_cast<int32_t>(i / 60 % 24); })),
            2000U);
  EXPECT_LT(bytes_of(make<int32_t>(kRows, [](uint64_t i) { return static_cast<int32_t>(i / 1000); })), 200U);
}

// The keys of a group ascend in steps of different sizes, and restart with each group.
TEST(Select, StepsBetweenRestartsAreNarrow) {
  Random random(3);
  uint64_t value = 0;
  const auto values = make<int64_t>(100'000, [&](uint64_t i) {
    value = i % 150 == 0 ? random.below(1'000'000) : value + 1 + random.below(4);
    return static_cast<int64_t>(value);
  });
  const auto array = encode(view(values), Goal{}, Backend::cpu);
  ASSERT_TRUE(array.has_value());
  expect_round_trip(values, *array);
  EXPECT_LT(array::encoded_bytes(*array), 100'000U / 2);
}

// Neighbours resemble each other in groups of 32, among them zeros: no width for 1024 values fits, and
// differences jump.
// One vector shows which codecs need not be tried on all, unless it differs from the others.
TEST(Select, OneVectorDoesNotDecideForOthers) {
  Random random(3);
  for (const uint64_t other : {0, 2, 4}) {
    const auto values = make<uint64_t>(5 * kVectorLength, [&](uint64_t i) {
      return i / kVectorLength == other ? 5 : 1000 * i + random.below(8);
    });
    const auto array = encode(view(values), {}, Backend::cpu);
    ASSERT_TRUE(array.has_value());
    EXPECT_LT(array::encoded_bytes(*array), 4 * kVectorLength);
    expect_round_trip(values, *array);
  }
}

// If one codec is left after the probe, choosing it has encoded the values.
TEST(Select, TheOnlyCodecLeftIsNotTriedTwice) {
  Random random(5);
  const auto values = make<double>(5000, [&](uint64_t) {
    return (static_cast<double>(random.next() >> 11) / 9007199254740992.0 - 0.5) * 20;
  });
  const Choice choice = choose(view(values), {});
  ASSERT_EQ(to_string(choice.candidates.at(0).cascade), "alprd");
  ASSERT_NE(choice.candidates[0].whole, nullptr);
  const auto array = encode(view(values), {}, Backend::cpu);
  const auto again = encode_as(choice.candidates[0].cascade, view(values), {}, Backend::cpu);
  ASSERT_TRUE(array.has_value() && again.has_value());
  expect_round_trip(values, *array);
  EXPECT_EQ(array::encoded_bytes(*array), array::encoded_bytes(*again));
}

// If nearly all values are alike, the others are stored apart, wherever they are.
TEST(Select, FewOtherValuesAreStoredApart) {
  for (const uint64_t length : {64U, 147U, 5000U}) {
    for (const uint64_t step : {40U, 333U}) {
      const auto words = make<uint32_t>(
          length, [&](uint64_t i) { return i % step == step - 1 ? 5 + static_cast<uint32_t>(i) : ~0U; });
      const auto array = encode(view(words), {}, Backend::cpu);
      ASSERT_TRUE(array.has_value());
      expect_round_trip(words, *array);
      EXPECT_LE(array::encoded_bytes(*array), 40 + length / step * 8) << length << ", " << step;
    }
  }
}

TEST(Select, LinesThatDifferAreLines) {
  Random random(7);
  uint64_t base = 0;
  const auto values = make<uint64_t>(50'000, [&](uint64_t i) {
    base = i % 32 == 0 ? random.next() : base;
    return random.below(3) == 0 ? random.below(100) : base + random.below(100);
  });
  EXPECT_EQ(best(view(values)), "line");
  const auto array = encode(view(values), {}, Backend::cpu);
  ASSERT_TRUE(array.has_value());
  expect_round_trip(values, *array);
  // Inside a cascade it is not chosen, since queries would have to decode it first.
  const auto codes = make<uint32_t>(5000, [](uint64_t i) { return i * i * 31 % 777; });
  EXPECT_EQ(best(view(codes)).find("line"), std::string::npos);
}

TEST(Select, FactsOfFewAndManyValues) {
  for (const uint32_t length : {0U, 1U, 2U, 3U, 7U, 8U, 1000U, 5000U}) {
    std::vector<uint32_t> values(length);
    std::iota(values.begin(), values.end(), 17U);
    const uint64_t least = least_distinct(view(values));
    EXPECT_LE(least, length);
    EXPECT_GE(10 * least, 9 * uint64_t{length}) << length;  // few hashes collide
    EXPECT_EQ(has_majority(view(values)), length == 1) << length;
    std::fill_n(values.begin(), std::min(length / 2 + 1, length), 5U);
    EXPECT_EQ(has_majority(view(values)), length > 0) << length;
    EXPECT_LE(least_distinct(view(values)), std::max(length - length / 2, 1U));
  }
}

TEST(Select, ChoosesTheSameEveryTime) {
  Random random(2);
  const auto values = make<int32_t>(
      150'000, [&](uint64_t i) { return static_cast<int32_t>(i / 3 % 1000 + random.below(4)); });
  const auto once = encode(view(values), Goal{}, Backend::cpu);
  const auto again = encode(view(values), Goal{}, Backend::cpu);
  ASSERT_TRUE(once.has_value());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(cascade_of(*once), cascade_of(*again));
  EXPECT_EQ(array::encoded_bytes(*once), array::encoded_bytes(*again));
  expect_round_trip(values, *once);
}

// Values that a sample may misjudge: this may affect the size, never the values.
TEST(Select, NeverMuchLargerThanTheValues) {
  for (const uint64_t seed : testing::drawn(60)) {
    Random random(seed);
    const uint64_t rows = random.below(3) == 0 ? random.below(2000) : random.below(120'000);
    const uint64_t run = 1 + random.below(3000);
    const uint64_t kinds = 1 + random.below(uint64_t{1} << random.below(30));
    uint64_t value = 0;
    const auto values = make<uint64_t>(rows, [&](uint64_t i) {
      value = i % run == 0 || random.below(64) == 0 ? random.below(kinds) * 0x9e37'79b9'7f4a'7c15 : value;
      return value;
    });
    const auto array = encode(view(values), Goal{}, Backend::cpu);
    ASSERT_TRUE(array.has_value()) << seed << ": " << array.error().message();
    expect_round_trip(values, *array);
    EXPECT_LE(array::encoded_bytes(*array), rows * 8 + rows * 8 / 1000 + 1300) << "seed " << seed;
  }
}

bool uses_zstd(const Array& array) {
  return array.codec == CodecId::zstd || std::ranges::any_of(array.children, &uses_zstd);
}

// Values that only a search for repetitions makes small: pieces of random bytes come again.
std::vector<uint8_t> repeated_noise() {
  constexpr size_t kNoise = 3000;
  constexpr size_t kPiece = 300;
  Random random(5);
  auto bytes = make<uint8_t>(10 * kNoise, [&](uint64_t) { return static_cast<uint8_t>(random.next()); });
  for (size_t i = kNoise; i < bytes.size(); i += kPiece) {
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(random.below(kNoise - kPiece)), kPiece,
                bytes.begin() + static_cast<ptrdiff_t>(i));
  }
  return bytes;
}

TEST(Select, OnlyCompactCompresses) {
  const auto values = repeated_noise();
  const auto smallest = encode(view(values), {.kind = Goal::Kind::smallest}, Backend::cpu);
  const auto fastest = encode(view(values), {.kind = Goal::Kind::fastest}, Backend::cpu);
  const auto compact = encode(view(values), {.kind = Goal::Kind::compact}, Backend::cpu);
  EXPECT_FALSE(uses_zstd(*smallest));
  EXPECT_FALSE(uses_zstd(*fastest));
  EXPECT_TRUE(uses_zstd(*compact));
  EXPECT_LT(array::encoded_bytes(*compact), array::encoded_bytes(*smallest) / 3);
  expect_round_trip(values, *compact);
  EXPECT_EQ(best(view(values), {.kind = Goal::Kind::compact}), "zstd");
}

TEST(Select, CompactDoesNotCompressInVain) {
  Random random(6);
  const auto noise = make<uint32_t>(30'000, [&](uint64_t) { return static_cast<uint32_t>(random.next()); });
  const auto steps = make<uint32_t>(30'000, [&](uint64_t i) { return static_cast<uint32_t>(7 * i); });
  for (const auto& values : {noise, steps}) {
    const auto array = encode(view(values), {.kind = Goal::Kind::compact}, Backend::cpu);
    EXPECT_FALSE(uses_zstd(*array));
    expect_round_trip(values, *array);
  }
}

// Codes that are unevenly frequent, in random order: only an entropy coder makes them smaller than packed
// bits, and general compression has nothing to find.
TEST(Select, CompactCodesTakeAnEntropyCoder) {
  Random random(8);
  const auto values = make<uint32_t>(100'000, [&](uint64_t) {
    return static_cast<uint32_t>(random.below(60) * random.below(60) / 60 * 0x9e37'79b9);
  });
  const auto smallest = encode(view(values), {.kind = Goal::Kind::smallest}, Backend::cpu);
  const auto compact = encode(view(values), {.kind = Goal::Kind::compact}, Backend::cpu);
  EXPECT_EQ(smallest->codec, CodecId::dict);
  EXPECT_NE(smallest->children[0].codec, CodecId::ans);
  EXPECT_EQ(compact->codec, CodecId::dict);
  EXPECT_EQ(compact->children[0].codec, CodecId::ans);
  EXPECT_LT(array::encoded_bytes(*compact), array::encoded_bytes(*smallest) * 95 / 100);
  expect_round_trip(values, *compact);
  const auto bytes = make<uint8_t>(
      100'000, [&](uint64_t) { return static_cast<uint8_t>(random.below(256) * random.below(256) / 256); });
  EXPECT_EQ(encode(view(bytes), {.kind = Goal::Kind::compact}, Backend::cpu)->codec, CodecId::ans);
}

TEST(Select, CompactStringsAreCompressedWholeOrInADictionary) {
  Random random(7);
  Strings names;
  Strings texts;
  for (uint64_t i = 0; i < 8000; ++i) {
    const std::string name = "department of " + std::to_string(random.below(83)) + " affairs";
    const std::string text = std::to_string(i * 7919) + " letters about " + name + " arrived";
    names.push_back({reinterpret_cast<const uint8_t*>(name.data()), name.size()});
    texts.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  const Goal compact{.kind = Goal::Kind::compact};
  const auto in_dictionary = encode_strings(names.view(), nullptr, compact, Backend::cpu);
  EXPECT_EQ(in_dictionary->codec, CodecId::dict);
  EXPECT_EQ(in_dictionary->children[1].codec, CodecId::zstd);
  EXPECT_EQ(array::decode_strings(*in_dictionary, Backend::cpu)->bytes, names.bytes);
  const auto whole = encode_strings(texts.view(), nullptr, compact, Backend::cpu);
  EXPECT_EQ(whole->codec, CodecId::zstd);
  EXPECT_EQ(array::decode_strings(*whole, Backend::cpu)->bytes, texts.bytes);
  const auto smallest = encode_strings(texts.view(), nullptr, Goal{}, Backend::cpu);
  EXPECT_LT(array::encoded_bytes(*whole), array::encoded_bytes(*smallest) / 2);
}

TEST(Select, TheFastestIsNotMuchLarger) {
  const auto values = make<int64_t>(100'000, [](uint64_t i) { return static_cast<int64_t>(i * i % 1021); });
  const auto smallest = choose(view(values), {.kind = Goal::Kind::smallest}).candidates;
  const auto fastest = choose(view(values), {.kind = Goal::Kind::fastest, .slack = 0.3}).candidates;
  EXPECT_LE(fastest[0].cost, smallest[0].cost);
  EXPECT_LE(static_cast<double>(fastest[0].bytes), 1.3 * static_cast<double>(smallest[0].bytes));
  EXPECT_EQ(fastest.size(), smallest.size());
}

TEST(Select, StringsThatRepeatGetADictionary) {
  Strings few;
  Strings many;
  for (uint64_t i = 0; i < 30'000; ++i) {
    const std::string town = "town number " + std::to_string(i * 7 % 90);
    const std::string address = "https://example.com/item/" + std::to_string(i * 7919);
    few.push_back({reinterpret_cast<const uint8_t*>(town.data()), town.size()});
    many.push_back({reinterpret_cast<const uint8_t*>(address.data()), address.size()});
  }
  EXPECT_TRUE(to_string(choose_strings(few.view(), {}).candidates[0].cascade).starts_with("dict("));
  EXPECT_EQ(to_string(choose_strings(many.view(), {}).candidates[0].cascade), "fsst");
  const auto array = encode_strings(few.view(), nullptr, Goal{}, Backend::cpu);
  ASSERT_TRUE(array.has_value()) << array.error().message();
  const auto decoded = array::decode_strings(*array, Backend::cpu);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->bytes, few.bytes);
}

// A sample of few strings, and of vectors that happen to hold only these, does not show the others.
TEST(Select, StringsOfMoreKindsThanADictionaryHolds) {
  for (const uint64_t frequent_first : {0, 1}) {
    Strings strings;
    for (uint64_t half = 0; half < 2; ++half) {
      for (uint64_t i = 0; i < 70'000; ++i) {
        const std::string text = half == frequent_first ? std::to_string(i) : std::string(16, "abc"[i % 3]);
        strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      }
    }
    for (const auto kind : {Goal::Kind::smallest, Goal::Kind::fastest, Goal::Kind::compact}) {
      const auto array = encode_strings(strings.view(), nullptr, {.kind = kind}, Backend::cpu);
      ASSERT_TRUE(array.has_value()) << array.error().message();
      const auto decoded = array::decode_strings(*array, Backend::cpu);
      ASSERT_TRUE(decoded.has_value());
      EXPECT_EQ(decoded->bytes, strings.bytes);
    }
  }
}

// What was tried is not done again if all strings were tried: the result is the same.
TEST(Select, StringsThatWereTriedAreEncodedAlike) {
  for (const uint64_t rows : {1000, 3000, 9000}) {
    Strings strings;
    strings.type = DType::utf8;
    for (uint64_t i = 0; i < rows; ++i) {
      if (i % 11 == 5) {
        strings.push_null();
      } else {
        const std::string text = "item " + std::to_string(i * i % 23);
        strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      }
    }
    const Choice choice = choose_strings(strings.view(), {});
    EXPECT_EQ(choice.candidates.at(0).parts != nullptr, rows < 9000) << rows;
    const auto once = encode_strings(strings.view(), nullptr, {}, Backend::cpu);
    const auto again =
        encode_strings_as(choice.candidates.at(0).cascade, strings.view(), nullptr, {}, Backend::cpu);
    ASSERT_TRUE(once.has_value() && again.has_value());
    EXPECT_EQ(to_string(cascade_of(*once)), to_string(cascade_of(*again)));
    EXPECT_EQ(array::encoded_bytes(*once), array::encoded_bytes(*again)) << rows;
    EXPECT_EQ(array::decode_strings(*once, Backend::cpu)->bytes, strings.bytes);
  }
}

TEST(Select, NothingIsEncodedToo) {
  const std::vector<int32_t> none;
  const auto array = encode(view(none), Goal{}, Backend::cpu);
  ASSERT_TRUE(array.has_value()) << array.error().message();
  EXPECT_EQ(array->length, 0U);
  EXPECT_TRUE(encode_strings(Strings{}.view(), nullptr, Goal{}, Backend::cpu).has_value());
}

}  // namespace
}  // namespace bobbin::select
