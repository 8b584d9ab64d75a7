// SPDX-License-Identifier: Apache-2.0
// Specific to nulls: validity through slices, comparisons that skip nulls, and invalid trees.
#include "codecs/masked/masked.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "array/array.hpp"
#include "codecs/alp/alp.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/patched/patched.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

bool bit_of(const std::vector<uint8_t>& bits, uint64_t i) {
  return (bits[i / 8] >> (i % 8) & 1) != 0;
}

// About one null in `every`.
std::vector<uint8_t> draw_bits(uint64_t length, uint64_t every) {
  Random random(every);
  std::vector<uint8_t> bits((length + 7) / 8);
  for (uint64_t i = 0; i < length; ++i) {
    bits[i / 8] |= static_cast<uint8_t>((random.below(every) != 0 ? 1U : 0U) << (i % 8));
  }
  return bits;
}

std::vector<uint32_t> count_up(uint64_t length) {
  std::vector<uint32_t> values(length);
  for (uint64_t i = 0; i < length; ++i) {
    values[i] = static_cast<uint32_t>(i % 1000);
  }
  return values;
}

using Encode = Result<Array> (*)(const Values&);
constexpr Encode kEncoders[] = {&codec::bitpack::encode, &codec::ffor::encode, &codec::delta::encode,
                                &codec::patched::encode};

std::vector<uint32_t> words_of(const Array& array) {
  std::vector<uint32_t> words(array.children[1].length);
  EXPECT_TRUE(array::decode(array.children[1], std::as_writable_bytes(std::span(words))).ok());
  return words;
}

// The worked example of spec.md, byte by byte.
TEST(Masked, WorkedExample) {
  const std::vector<uint8_t> values(40, 7);
  std::vector<uint8_t> bits(5, 0xff);
  bits[0] = 0xf6;
  bits[4] = 0xfd;
  const Array array = *codec::masked::wrap(*codec::ffor::encode({DType::u8, values.data(), 40}), bits.data());
  ASSERT_TRUE(array::validate(array).ok());
  EXPECT_EQ(words_of(array), (std::vector<uint32_t>{0xfffffff6, 0xfd}));
  const Array& validity = array.children[1];
  EXPECT_EQ(validity.codec, CodecId::patched);
  EXPECT_EQ(validity.metadata, std::vector<uint8_t>{1});
  const auto bytes_of = [](const Buffer& buffer) {
    std::vector<int> bytes;
    for (const std::byte byte : buffer.bytes) {
      bytes.push_back(std::to_integer<int>(byte));
    }
    return bytes;
  };
  EXPECT_EQ(bytes_of(validity.buffers[0]), (std::vector<int>{0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(bytes_of(validity.buffers[1]), (std::vector<int>{0, 0}));
  EXPECT_EQ(bytes_of(validity.buffers[2]), (std::vector<int>{0xf6, 0xff, 0xff, 0xff}));
  EXPECT_EQ(bytes_of(validity.children[0].buffers[0]), (std::vector<int>{0xfd, 0, 0, 0}));
  EXPECT_EQ(bytes_of(validity.children[0].buffers[1]), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(bytes_of(array.children[0].buffers[0]), (std::vector<int>{7}));
  EXPECT_EQ(array::validity(array)->count(), 37U);
}

// Bits past the last row are written as zero, whatever the caller has there.
TEST(Masked, BitsPastTheEndAreZero) {
  const auto values = count_up(70);
  const std::vector<uint8_t> bits(9, 0xff);
  for (const uint8_t* given : {bits.data(), static_cast<const uint8_t*>(nullptr)}) {
    const Array array = *codec::masked::wrap(*codec::ffor::encode({DType::u32, values.data(), 70}), given);
    EXPECT_EQ(words_of(array), (std::vector<uint32_t>{~0U, ~0U, 0x3f}));
  }
}

TEST(Masked, AllThereOrAllNullTakeNextToNothing) {
  const auto values = count_up(1 << 20);
  const Array inner = *codec::ffor::encode({DType::u32, values.data(), values.size()});
  const std::vector<uint8_t> none(values.size() / 8);
  for (const uint8_t* bits : {none.data(), static_cast<const uint8_t*>(nullptr)}) {
    const Array array = *codec::masked::wrap(inner, bits);
    EXPECT_LT(array::encoded_bytes(array.children[1]), 300U);
    EXPECT_EQ(array::validity(array)->count(), bits == nullptr ? values.size() : 0U);
  }
}

TEST(Masked, ASliceHasTheValidityOfItsRows) {
  const uint64_t length = 40'000;  // more than a vector of validity words
  const auto values = count_up(length);
  const auto bits = draw_bits(length, 5);
  for (const Encode encode : kEncoders) {
    Array array =
        *codec::masked::wrap(*codec::delta::encode({DType::u32, values.data(), length}), bits.data());
    const std::vector<uint32_t> words = words_of(array);
    array.children[1] = *encode({DType::u32, words.data(), words.size()});
    for (const uint64_t begin :
         {0, 1, 31, 32, 33, 1023, 1024, 1025, 5000, 32767, 32768, 32769, 39'999, 40'000}) {
      for (const uint64_t count : {0, 1, 31, 32, 33, 993, 1024, 3000}) {
        const uint64_t taken = std::min<uint64_t>(count, length - begin);
        const Array part = *array::slice(array, begin, taken);
        ASSERT_TRUE(array::validate(part).ok()) << begin << ' ' << taken;
        EXPECT_EQ(part.offset, begin % 1024);
        EXPECT_EQ(part.children[1].length, (part.offset + taken + 31) / 32);
        const auto validity = *array::validity(part);
        for (uint64_t i = 0; i < taken; ++i) {
          ASSERT_EQ(validity.at(i), bit_of(bits, begin + i)) << begin << ' ' << i;
        }
        const Array rest = *array::slice(part, taken / 2, taken - taken / 2);
        ASSERT_TRUE(array::validate(rest).ok());
        const auto of_rest = *array::validity(rest);
        for (uint64_t i = 0; i < rest.length; ++i) {
          ASSERT_EQ(of_rest.at(i), bit_of(bits, begin + taken / 2 + i)) << begin << ' ' << i;
        }
      }
    }
  }
}

// With codecs that compare encoded data and others, and with ranges that are negated (`ne`, `lt`, `gt`) and
// others.
TEST(Masked, NullsCompareAsNeither) {
  const uint64_t length = 3000;
  const auto values = count_up(length);
  const auto bits = draw_bits(length, 3);
  for (const Encode encode : kEncoders) {
    const Array array = *codec::masked::wrap(*encode({DType::u32, values.data(), length}), bits.data());
    for (const Array& part : {array, *array::slice(array, 1500, 1100)}) {
      const uint64_t begin = part.length == length ? 0 : 1500;
      const auto eq = *array::compare(part, Compare::eq, {500});
      const auto ne = *array::compare(part, Compare::ne, {500});
      const auto lt = *array::compare(part, Compare::lt, {500});
      const auto ge = *array::compare(part, Compare::ge, {500});
      for (uint64_t i = 0; i < part.length; ++i) {
        const bool there = bit_of(bits, begin + i);
        ASSERT_EQ(eq.at(i), there && values[begin + i] == 500);
        ASSERT_EQ(ne.at(i), there && values[begin + i] != 500);
        ASSERT_EQ(lt.at(i), there && values[begin + i] < 500);
        ASSERT_EQ(ge.at(i), there && values[begin + i] >= 500);
      }
    }
  }
}

TEST(Masked, NullsAmongFloatsCompareAsNeither) {
  std::vector<double> values(2000, 1.5);
  const auto bits = draw_bits(values.size(), 4);
  const Array array =
      *codec::masked::wrap(*codec::alp::encode({DType::f64, values.data(), values.size()}), bits.data());
  const auto equal = *array::compare(array, Compare::eq, {std::bit_cast<uint64_t>(1.5)});
  const auto other = *array::compare(array, Compare::ne, {std::bit_cast<uint64_t>(2.5)});
  for (uint64_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(equal.at(i), bit_of(bits, i));
    ASSERT_EQ(other.at(i), bit_of(bits, i));
  }
}

TEST(Masked, ArraysWithoutNullsHaveAllValues) {
  const auto values = count_up(1500);
  const Array array = *codec::ffor::encode({DType::u32, values.data(), values.size()});
  EXPECT_EQ(array::validity(array)->count(), 1500U);
  EXPECT_EQ(array::validity(*array::slice(array, 77, 1000))->count(), 1000U);
}

TEST(Masked, LiesAreRefused) {
  const auto values = count_up(3000);
  const auto bits = draw_bits(3000, 7);
  const Array array =
      *codec::masked::wrap(*codec::ffor::encode({DType::u32, values.data(), 3000}), bits.data());
  const Array part = *array::slice(array, 100, 2000);
  const auto refused = [&](const Array& from, const std::function<void(Array&)>& change) {
    Array changed = from;
    change(changed);
    return !array::validate(changed).ok();
  };
  for (const Array& from : {array, part}) {
    EXPECT_FALSE(refused(from, [](Array&) {}));
    EXPECT_TRUE(refused(from, [](Array& a) { a.metadata = {0}; }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.buffers.push_back({}); }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.children.pop_back(); }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.children.clear(); }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.children.push_back(a.children[1]); }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.type = DType::i32; }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.type = DType::utf8; }));
    EXPECT_TRUE(refused(from, [](Array& a) { --a.length; }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.offset ^= 1; }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.offset += 1024; }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.children[1].type = DType::i32; }));
    EXPECT_TRUE(refused(from, [](Array& a) { --a.children[1].length; }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.children[1].length -= 32; }));
    EXPECT_TRUE(refused(from, [](Array& a) { ++a.children[1].offset; }));
    EXPECT_TRUE(refused(from, [](Array& a) { std::swap(a.children[0], a.children[1]); }));
    EXPECT_TRUE(refused(from, [](Array& a) { a.children[0].codec = CodecId::fsst; }));
  }
  EXPECT_EQ(codec::masked::wrap(part.children[0], nullptr).error().code(), StatusCode::invalid_argument);
}

TEST(Masked, StandsAtTheRootOnly) {
  const auto values = count_up(1024);
  const Array array = *codec::masked::encode({DType::u32, values.data(), values.size()});
  const Array twice = *codec::masked::wrap(array, nullptr);
  EXPECT_EQ(array::validate(twice).code(), StatusCode::corrupt);
  const Array patched = *codec::patched::wrap<uint32_t>(array, {}, {});
  EXPECT_EQ(array::validate(patched).code(), StatusCode::corrupt);
  Array validity = array;
  validity.children[1] = *codec::masked::wrap(array.children[1], nullptr);
  EXPECT_EQ(array::validate(validity).code(), StatusCode::corrupt);
}

}  // namespace
}  // namespace bobbin::testing
