// SPDX-License-Identifier: Apache-2.0
// Specific to dictionaries of numbers: their order, the codes' sizes, codes past the end, entries in any
// order, and invalid trees.
#include "codecs/dict/dict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "array/array.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/scalar.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

template <class T>
Values numbers_of(const std::vector<T>& values) {
  return {kDTypeOf<T>, values.data(), values.size()};
}

template <class T>
std::vector<T> decoded_numbers(const Array& array) {
  std::vector<T> values(array.length);
  EXPECT_TRUE(array::decode(array, std::as_writable_bytes(std::span(values))).ok());
  return values;
}

template <class T>
Array encoded_numbers(const std::vector<T>& values) {
  const auto array = codec::dict::kCodec.encode(numbers_of(values));
  EXPECT_TRUE(array.has_value()) << array.error().message();
  return *array;
}

// As another writer may make it.
template <class T, class Code>
Array joined(const std::vector<T>& entries, const std::vector<Code>& codes) {
  return {
      .codec = CodecId::dict,
      .type = kDTypeOf<T>,
      .length = codes.size(),
      .offset = 0,
      .metadata = {},
      .buffers = {},
      .children = {*codec::bitpack::encode(numbers_of(codes)), *codec::ffor::encode(numbers_of(entries))}};
}

std::vector<int> bytes_of(const Buffer& buffer) {
  std::vector<int> bytes;
  for (const std::byte byte : buffer.bytes) {
    bytes.push_back(std::to_integer<int>(byte));
  }
  return bytes;
}

// The worked example of spec.md.
TEST(Dict, WorkedExample) {
  const std::vector<int32_t> values{70, -5, -5, 70, 3, -5};
  const Array array = encoded_numbers(values);
  ASSERT_TRUE(array::validate(array).ok());
  EXPECT_EQ(codec::dict::describe(array), "3 entries");
  EXPECT_EQ(decoded_numbers<uint8_t>(array.children[0]), (std::vector<uint8_t>{2, 0, 0, 2, 1, 0}));
  EXPECT_EQ(decoded_numbers<int32_t>(array.children[1]), (std::vector<int32_t>{-5, 3, 70}));
  const Array& codes = array.children[0];
  ASSERT_EQ(codes.codec, CodecId::patched);
  EXPECT_EQ(bytes_of(codes.buffers[0]), (std::vector<int>{0, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(bytes_of(codes.buffers[1]), (std::vector<int>{0, 0, 3, 0, 4, 0}));
  EXPECT_EQ(bytes_of(codes.buffers[2]), (std::vector<int>{2, 2, 1}));
  ASSERT_EQ(array.children[1].codec, CodecId::bitpack);
  std::vector<int> entries = bytes_of(array.children[1].buffers[0]);
  ASSERT_EQ(entries.size(), 128U);
  entries.resize(12);
  EXPECT_EQ(entries, (std::vector<int>{0xfb, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0x46, 0, 0, 0}));
  EXPECT_EQ(decoded_numbers<int32_t>(array), values);
}

TEST(Dict, FloatsAreKeptToTheBit) {
  const std::vector<uint64_t> bits{0x7ff8000000000000, 0,           0x8000000000000000, 0xfff8000000000001,
                                   0x7ff8000000000002, 0x3ff0 << 4, 0x7ff0000000000000, 0xfff0000000000000};
  std::vector<double> values;
  for (const uint64_t b : bits) {
    values.insert(values.end(), 3, std::bit_cast<double>(b));
  }
  const Array array = encoded_numbers(values);
  ASSERT_TRUE(array::validate(array).ok());
  ASSERT_EQ(array.children[1].length, bits.size());
  const std::vector<double> back = decoded_numbers<double>(array);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint64_t>(back[i]), std::bit_cast<uint64_t>(values[i])) << i;
  }
  const std::vector<double> entries = decoded_numbers<double>(array.children[1]);
  for (size_t i = 1; i < entries.size(); ++i) {
    EXPECT_LT(order_key(entries[i - 1]), order_key(entries[i]));
  }
  // -0.0 equals 0.0; NaN is unequal to everything.
  const auto zeros = array::compare(array, Compare::eq, scalar_of(0.0));
  EXPECT_EQ(zeros->count(), 6U);
  const auto others = array::compare(array, Compare::ne, scalar_of(0.0));
  EXPECT_EQ(others->count(), values.size() - 6);
  const auto nan = array::compare(array, Compare::ge, scalar_of(std::nan("")));
  EXPECT_EQ(nan->count(), 0U);
}

TEST(Dict, CodesAreAsSmallAsEntriesAllow) {
  for (const auto& [entries, type] : std::vector<std::pair<uint32_t, DType>>{{1, DType::u8},
                                                                             {2, DType::u8},
                                                                             {256, DType::u8},
                                                                             {257, DType::u16},
                                                                             {65536, DType::u16},
                                                                             {65537, DType::u32}}) {
    std::vector<uint32_t> values(entries + 3000);
    Random random(entries);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = 7 * (i < entries ? static_cast<uint32_t>(i) : static_cast<uint32_t>(random.below(entries)));
    }
    const Array array = encoded_numbers(values);
    ASSERT_TRUE(array::validate(array).ok());
    EXPECT_EQ(array.children[0].type, type);
    EXPECT_EQ(array.children[1].length, entries);
    EXPECT_EQ(array::encoded_bytes(array), codec::dict::kCodec.estimate(numbers_of(values)));
    EXPECT_EQ(decoded_numbers<uint32_t>(array), values);
    // Slices too short for the dictionary to pay off, and one across vectors.
    for (const uint64_t length : {1, 40, 1500}) {
      const Array part = *array::slice(array, entries / 2 + 1, length);
      ASSERT_TRUE(array::validate(part).ok());
      const auto first = values.begin() + ptrdiff_t{entries} / 2 + 1;
      EXPECT_EQ(decoded_numbers<uint32_t>(part),
                std::vector<uint32_t>(first, first + static_cast<ptrdiff_t>(length)));
      const auto below = array::compare(part, Compare::lt, scalar_of(uint32_t{4} * entries));
      for (uint64_t i = 0; i < length; ++i) {
        ASSERT_EQ(below->at(i), first[static_cast<ptrdiff_t>(i)] < uint32_t{4} * entries) << i;
      }
    }
  }
}

TEST(Dict, TooManyEntriesAreRefused) {
  std::vector<uint32_t> values(codec::dict::kMaxEntries + 1);
  std::iota(values.begin(), values.end(), 0U);
  EXPECT_EQ(codec::dict::split(numbers_of(values)).error().code(), StatusCode::unsupported);
  EXPECT_EQ(codec::dict::kCodec.encode(numbers_of(values)).error().code(), StatusCode::unsupported);
  EXPECT_GT(codec::dict::kCodec.estimate(numbers_of(values)), uint64_t{1} << 60);
  EXPECT_FALSE(codec::dict::build(numbers_of(values), 10).has_value());
  values.resize(10);
  EXPECT_TRUE(codec::dict::build(numbers_of(values), 10).has_value());
  EXPECT_FALSE(codec::dict::build(numbers_of(values), 9).has_value());
}

TEST(Dict, SplitGivesCodesAndEntries) {
  const std::vector<int16_t> values{5, -300, 5, 7};
  const auto split = codec::dict::split(numbers_of(values));
  ASSERT_TRUE(split.has_value());
  ASSERT_EQ(split->children.size(), 2U);
  EXPECT_EQ(split->node.type, DType::i16);
  const auto codes = split->children[0].view().as<uint8_t>();
  const auto entries = split->children[1].view().as<int16_t>();
  EXPECT_EQ(std::vector<uint8_t>(codes.begin(), codes.end()), (std::vector<uint8_t>{1, 0, 1, 2}));
  EXPECT_EQ(std::vector<int16_t>(entries.begin(), entries.end()), (std::vector<int16_t>{-300, 5, 7}));
}

// Values that come round in an order of their own have their entries in that order, so that codes go up by
// one. Elsewhere entries ascend.
TEST(Dict, EntriesFollowRounds) {
  Random random(7);
  for (const uint64_t spread :
       {uint64_t{1}, uint64_t{0x0101'0307'1317'1923}}) {  // ranks by table; by hashing
    std::vector<uint64_t> round(100);
    std::iota(round.begin(), round.end(), uint64_t{5});
    for (uint64_t& value : round) {
      value *= spread;
    }
    std::ranges::sort(round);
    for (uint64_t& value : round) {
      std::swap(value, round[random.below(round.size())]);
    }
    std::vector<uint64_t> values;
    std::vector<uint64_t> without_order;
    for (size_t i = 0; i < 3000; ++i) {
      if (i % 100 != 42 || i < 100) {  // all rounds but the first lack one
        values.insert(values.end(), 2, round[i % 100]);
      }
      without_order.push_back(round[random.below(100)]);
    }
    const Array array = encoded_numbers(values);
    EXPECT_EQ(decoded_numbers<uint64_t>(array.children[1]), round);
    EXPECT_EQ(decoded_numbers<uint64_t>(array), values);
    EXPECT_EQ(check_any_array(array, Backend::cpu), "");
    EXPECT_EQ(check_any_array(array, Backend::emulator), "");
    const auto sorted = decoded_numbers<uint64_t>(encoded_numbers(without_order).children[1]);
    EXPECT_TRUE(std::ranges::is_sorted(sorted));
  }
}

// Codes past the last entry mean the last; entries that no code of that size can refer to are ignored.
TEST(Dict, CodesPastTheEnd) {
  Random random(3);
  std::vector<uint8_t> codes(5000);
  for (uint8_t& code : codes) {
    code = static_cast<uint8_t>(random.next());
  }
  for (const size_t entries : {1, 2, 100, 255, 256, 1000, 40000}) {
    std::vector<int64_t> numbers(entries);
    for (int64_t& number : numbers) {
      number = static_cast<int64_t>(random.below(50));
    }
    const Array array = joined(numbers, codes);
    ASSERT_TRUE(array::validate(array).ok());
    const std::vector<int64_t> values = decoded_numbers<int64_t>(array);
    for (size_t i = 0; i < codes.size(); ++i) {
      ASSERT_EQ(values[i], numbers[std::min<size_t>(codes[i], entries - 1)]);
    }
    EXPECT_EQ(check_any_array(array, Backend::cpu), "") << entries;
    EXPECT_EQ(check_any_array(array, Backend::emulator), "") << entries;
  }
}

// Every comparison, over entries in ascending, descending and random order.
TEST(Dict, ComparesByEntries) {
  Random random(5);
  std::vector<uint16_t> codes(4000);
  for (uint16_t& code : codes) {
    code = static_cast<uint16_t>(random.below(310));
  }
  std::vector<int32_t> up(300);
  std::iota(up.begin(), up.end(), -100);
  std::vector<int32_t> down(up.rbegin(), up.rend());
  std::vector<int32_t> mixed = up;
  for (int32_t& value : mixed) {
    std::swap(value, mixed[random.below(mixed.size())]);
  }
  for (const auto& entries : {up, down, mixed}) {
    const Array array = joined(entries, codes);
    const std::vector<int32_t> values = decoded_numbers<int32_t>(array);
    for (const int32_t constant : {-101, -100, 0, 50, 199, 200}) {
      for (const Compare op :
           {Compare::eq, Compare::ne, Compare::lt, Compare::le, Compare::gt, Compare::ge}) {
        const auto range = ValueRange::of(DType::i32, op, scalar_of(constant));
        const auto bitmap = array::compare(array, range);
        for (size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(bitmap->at(i), range.holds(DType::i32, scalar_of(values[i]))) << i << " " << constant;
        }
      }
    }
  }
}

TEST(Dict, SetsOfCodes) {
  std::vector<int32_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const Array array = encoded_numbers(values);
  const auto equal = [](int32_t value) { return ValueRange::of(DType::i32, Compare::eq, scalar_of(value)); };
  const auto between = [](int32_t a, int32_t b) {
    return ValueRange::between(DType::i32, scalar_of(a), scalar_of(b));
  };
  const auto one = codec::dict::code_set(array, std::vector{between(10, 20)});
  ASSERT_TRUE(one.range.has_value());
  EXPECT_EQ(one.range->low, 10U);
  EXPECT_EQ(one.range->span, 10U);
  EXPECT_FALSE(one.range->negated);
  // Two adjacent ones are merged.
  const auto touching = codec::dict::code_set(array, std::vector{between(10, 20), between(21, 30)});
  ASSERT_TRUE(touching.range.has_value());
  EXPECT_EQ(touching.range->span, 20U);
  // Both ends are all except the middle.
  const auto ends = codec::dict::code_set(array, std::vector{between(-5, 20), between(900, 5000)});
  ASSERT_TRUE(ends.range.has_value());
  EXPECT_TRUE(ends.range->negated);
  EXPECT_EQ(ends.range->low, 21U);
  const auto apart = codec::dict::code_set(array, std::vector{equal(3), equal(5), equal(5000)});
  EXPECT_FALSE(apart.range.has_value());
  EXPECT_EQ(std::accumulate(apart.passes.begin(), apart.passes.end(), 0), 2);
  // Codes past the end match like the last entry.
  const auto last = codec::dict::code_set(array, std::vector{between(990, 5000)});
  ASSERT_TRUE(last.range.has_value());
  EXPECT_EQ(last.range->low + last.range->span, 65535U);
  const auto none = codec::dict::code_set(array, std::vector{equal(5000)});
  ASSERT_TRUE(none.range.has_value());
  EXPECT_FALSE(none.range->holds(DType::u16, {17}));
}

TEST(Dict, TreesThatLie) {
  const Array good = encoded_numbers(std::vector<uint32_t>{5, 6, 5, 7, 7});
  const auto refused = [&](const std::function<void(Array&)>& change) {
    Array bad = good;
    change(bad);
    return !array::validate(bad).ok();
  };
  EXPECT_FALSE(refused([](Array&) {}));
  EXPECT_TRUE(refused([](Array& a) { a.metadata.push_back(0); }));
  EXPECT_TRUE(refused([](Array& a) { a.buffers.push_back(make_buffer(0).buffer); }));
  EXPECT_TRUE(refused([](Array& a) { a.children.pop_back(); }));
  EXPECT_TRUE(refused([](Array& a) { a.children.push_back(a.children[1]); }));
  EXPECT_TRUE(refused([](Array& a) { std::swap(a.children[0], a.children[1]); }));
  EXPECT_TRUE(refused([](Array& a) { a.offset = 1; }));
  EXPECT_TRUE(refused([](Array& a) { a.offset = 1024; }));
  EXPECT_TRUE(refused([](Array& a) { a.length = 4; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].length = 4; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].type = DType::i8; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1].type = DType::i32; }));
  EXPECT_TRUE(refused([](Array& a) { a.type = DType::f32; }));
  EXPECT_TRUE(refused([](Array& a) { a.type = DType::utf8; }));
  EXPECT_FALSE(refused([&](Array& a) { a.children[1] = good; }));
  EXPECT_TRUE(refused([&](Array& a) {
    a.children[1] = good;
    a.children[1].children[1] = good;  // a third lookup
  }));
  EXPECT_TRUE(
      refused([](Array& a) { a.children[1] = *codec::ffor::encode(numbers_of(std::vector<uint32_t>{})); }));
  const Array empty = encoded_numbers(std::vector<uint32_t>{});
  EXPECT_TRUE(array::validate(empty).ok());
  EXPECT_EQ(empty.children[1].length, 0U);
}

}  // namespace
}  // namespace bobbin::testing
