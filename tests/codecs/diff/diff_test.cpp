// SPDX-License-Identifier: Apache-2.0
// Specific to differences: the parts of a split, slices that start at any value, and what is refused.
#include "codecs/diff/diff.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "array/array.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/registry.hpp"
#include "select/cascade.hpp"

namespace bobbin::testing {
namespace {

template <class T>
std::vector<T> vector_of(const OwnedValues& values) {
  const auto all = values.view().as<T>();
  return {all.begin(), all.end()};
}

// Days of months of 28 to 31 days.
std::vector<int32_t> days(size_t count) {
  std::vector<int32_t> values;
  for (int32_t month = 0; values.size() < count; ++month) {
    for (int32_t day = 1; day <= 28 + month * 7 % 4; ++day) {
      values.push_back(day);
    }
  }
  values.resize(count);
  return values;
}

TEST(Diff, SplitHasDifferencesAndStarts) {
  std::vector<uint16_t> values(2050);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<uint16_t>(5 * i + 3);
  }
  values[1024] = 0;
  const Split split = *codec::diff::split({DType::u16, values.data(), values.size()});
  ASSERT_EQ(split.children.size(), 2U);
  EXPECT_EQ(split.children[0].type, DType::i16);
  EXPECT_EQ(split.children[1].type, DType::u16);
  std::vector<int16_t> expected(2050, 5);
  expected[1024] = static_cast<int16_t>(0 - values[1023]);
  expected[1025] = static_cast<int16_t>(values[1025]);
  EXPECT_EQ(vector_of<int16_t>(split.children[0]), expected);
  EXPECT_EQ(vector_of<uint16_t>(split.children[1]),
            (std::vector<uint16_t>{static_cast<uint16_t>(3 - 5), values[1023], values[2047]}));
}

TEST(Diff, IsForIntegers) {
  const Codec& codec = *find_codec(CodecId::diff);
  for (const DType type : kAllTypes) {
    EXPECT_EQ(codec.takes(type), !is_float(type));
  }
  const std::vector<float> values(10);
  EXPECT_EQ(codec.encode({DType::f32, values.data(), 10}).error().code(), StatusCode::unsupported);
}

TEST(Diff, OneValueAndNone) {
  const int64_t one = -7;
  const Array array = *codec::diff::kCodec.encode({DType::i64, &one, 1});
  ASSERT_TRUE(array::validate(array).ok());
  EXPECT_EQ(array::value_at(array, 0)->bits, static_cast<uint64_t>(one));
  const Array none = *codec::diff::kCodec.encode({DType::i64, nullptr, 0});
  EXPECT_TRUE(array::validate(none).ok());
  EXPECT_EQ(none.children[1].length, 0U);
}

// Slices of slices, at every kind of boundary, with differences that are not stored in vectors.
TEST(Diff, SlicesOfAnyCodec) {
  const std::vector<int32_t> values = days(5000);
  for (const char* text : {"diff(sparse, ffor)", "diff(rle, delta)", "diff(dict, bitpack)",
                           "diff(patched, diff)", "diff(diff(sparse, ffor), diff)"}) {
    const auto cascade = select::parse_cascade(text);
    const Array array = *select::encode(*cascade, {DType::i32, values.data(), values.size()}, Backend::cpu);
    for (const uint64_t begin : {0U, 1U, 1023U, 1024U, 1500U, 3072U}) {
      const Array half = *array::slice(array, begin, 1600);
      for (const uint64_t length : {0U, 1U, 1024U, 1300U}) {
        const Array part = *array::slice(half, 300, length);
        ASSERT_TRUE(array::validate(part).ok()) << array::validate(part).message();
        std::vector<int32_t> out(length);
        ASSERT_TRUE(array::decode(part, std::as_writable_bytes(std::span(out))).ok());
        EXPECT_TRUE(std::equal(out.begin(), out.end(), values.begin() + static_cast<ptrdiff_t>(begin) + 300))
            << text << ", from " << begin << ", " << length;
      }
    }
  }
}

TEST(Diff, LongOutputs) {
  const std::vector<int32_t> values = days((size_t{2} << 20) + 77);
  const auto cascade = select::parse_cascade("diff(sparse, ffor)");
  const Array array = *select::encode(*cascade, {DType::i32, values.data(), values.size()}, Backend::cpu);
  std::vector<int32_t> out(values.size());
  ASSERT_TRUE(array::decode(array, std::as_writable_bytes(std::span(out))).ok());
  EXPECT_TRUE(out == values);
}

TEST(Diff, LiesAreRefused) {
  const std::vector<int32_t> values = days(2000);
  const Array array = *codec::diff::kCodec.encode({DType::i32, values.data(), values.size()});
  const auto refused = [&](const std::function<void(Array&)>& change) {
    Array changed = array;
    change(changed);
    return array::validate(changed).code() == StatusCode::corrupt;
  };
  EXPECT_FALSE(refused([](Array&) {}));
  EXPECT_FALSE(refused([](Array& a) { a.offset = 1, a.length = 1999; }));
  for (const DType type : {DType::u32, DType::i64, DType::f32, DType::utf8}) {
    EXPECT_TRUE(refused([&](Array& a) { a.type = type; })) << to_string(type);
  }
  EXPECT_TRUE(refused([](Array& a) { a.length = 1999; }));
  EXPECT_TRUE(refused([](Array& a) { a.offset = 1; }));
  EXPECT_TRUE(refused([](Array& a) { a.offset = 1024; }));
  EXPECT_TRUE(refused([](Array& a) { a.length = ~uint64_t{0}; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].type = DType::u32; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1].type = DType::u32; }));
  EXPECT_TRUE(refused([](Array& a) { a.children.pop_back(); }));
  EXPECT_TRUE(refused([](Array& a) { a.children[1] = a.children[0]; }));
  EXPECT_TRUE(refused([](Array& a) { a.metadata = {1}; }));
  EXPECT_TRUE(refused([](Array& a) { a.buffers = {Buffer{}}; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].offset = 1; }));
  const int32_t one = 1;
  const Array constant = *codec::constant::encode({DType::i32, &one, 1});
  EXPECT_TRUE(refused([&](Array& a) { a.children[1] = constant; }));  // one start for two vectors
}

}  // namespace
}  // namespace bobbin::testing
