// SPDX-License-Identifier: Apache-2.0
// Specific to runs: slices that read few of them, long outputs, and invalid children.
#include "codecs/rle/rle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "array/array.hpp"
#include "codecs/ascending.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/ffor/ffor.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

std::vector<uint32_t> draw_runs(uint64_t length, uint64_t longest) {
  Random random(longest);
  std::vector<uint32_t> values;
  while (values.size() < length) {
    values.insert(values.end(), 1 + random.below(longest), static_cast<uint32_t>(random.next()));
  }
  values.resize(length);
  return values;
}

Array encoded_runs(const std::vector<uint32_t>& values) {
  return *codec::rle::kCodec.encode({DType::u32, values.data(), values.size()});
}

void set_first_row(Array& array, uint64_t row) {
  std::memcpy(array.metadata.data(), &row, sizeof row);
}

void set_ends(Array& array, const std::vector<uint32_t>& ends) {
  array.children[0] = *codec::ffor::encode({DType::u32, ends.data(), ends.size()});
}

TEST(Rle, SplitHasEndsAndValues) {
  const std::vector<uint16_t> values{5, 5, 5, 9, 9, 0, 0};
  const Split split = *codec::rle::split({DType::u16, values.data(), values.size()});
  ASSERT_EQ(split.children.size(), 2U);
  const auto ends = split.children[0].view().as<uint32_t>();
  const auto of_runs = split.children[1].view().as<uint16_t>();
  EXPECT_EQ(std::vector<uint32_t>(ends.begin(), ends.end()), (std::vector<uint32_t>{3, 5, 7}));
  EXPECT_EQ(std::vector<uint16_t>(of_runs.begin(), of_runs.end()), (std::vector<uint16_t>{5, 9, 0}));
  EXPECT_TRUE(split.node.children.empty());
}

// Bypassing the caches, with runs far shorter and far longer than a piece.
TEST(Rle, LongOutputs) {
  for (const uint64_t longest : {3U, 1000U, 1'000'000U}) {
    const auto values = draw_runs((uint64_t{2} << 20) + 77, longest);
    const Array array = encoded_runs(values);
    std::vector<uint32_t> out(values.size());
    ASSERT_TRUE(array::decode(array, std::as_writable_bytes(std::span(out))).ok());
    EXPECT_TRUE(out == values) << longest;
    const Array part = *array::slice(array, 12'345, 2'000'000);
    out.resize(part.length);
    ASSERT_TRUE(array::decode(part, std::as_writable_bytes(std::span(out))).ok());
    EXPECT_TRUE(std::equal(out.begin(), out.end(), values.begin() + 12'345)) << longest;
  }
}

TEST(Rle, SlicesKeepTheChildrenWhole) {
  const auto values = draw_runs(10'000, 30);
  const Array array = encoded_runs(values);
  const Array part = *array::slice(*array::slice(array, 3000, 6000), 1500, 2000);
  EXPECT_EQ(part.offset, 4500U % 1024);
  EXPECT_EQ(ascending::begin_row(part), 4500U);
  EXPECT_EQ(part.children[0].length, array.children[0].length);
  EXPECT_EQ(part.children[0].buffers[0].bytes.data(), array.children[0].buffers[0].bytes.data());
  const auto runs = codec::rle::runs_of(part);
  EXPECT_LT(runs.end - runs.begin, 300U);
  EXPECT_GT(runs.end - runs.begin, 60U);
}

TEST(Rle, LiesAreRefused) {
  const std::vector<uint32_t> values{5, 5, 5, 9, 9, 0, 0};
  const Array array = encoded_runs(values);
  const auto refused = [&](const std::function<void(Array&)>& change) {
    Array changed = array;
    change(changed);
    return array::validate(changed).code() == StatusCode::corrupt;
  };
  EXPECT_FALSE(refused([](Array&) {}));
  EXPECT_FALSE(refused([](Array& a) { set_ends(a, {3, 5, 9}); }));
  EXPECT_TRUE(refused([](Array& a) { set_ends(a, {3, 5, 6}); }));
  EXPECT_TRUE(refused([](Array& a) { set_ends(a, {3, 3, 7}); }));
  EXPECT_TRUE(refused([](Array& a) { set_ends(a, {5, 3, 7}); }));
  EXPECT_TRUE(refused([](Array& a) { set_ends(a, {0, 3, 7}); }));
  EXPECT_TRUE(refused([](Array& a) { set_ends(a, {3, 7}); }));
  EXPECT_TRUE(refused([](Array& a) { a.length = 8; }));
  EXPECT_TRUE(refused([](Array& a) { a.offset = 1; }));
  EXPECT_TRUE(refused([](Array& a) { set_first_row(a, 1024); }));
  EXPECT_TRUE(refused([](Array& a) { set_first_row(a, 1); }));
  EXPECT_TRUE(refused([](Array& a) { set_first_row(a, ~uint64_t{1023}); }));
  EXPECT_TRUE(refused([](Array& a) { a.type = DType::i32; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].type = DType::i32; }));
  EXPECT_TRUE(refused([](Array& a) { a.children.pop_back(); }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].buffers[0].bytes = {}; }));
}

// A child that claims to be long is not decoded as a whole.
TEST(Rle, LongClaimsAreRefusedAtOnce) {
  const std::vector<uint32_t> one(1, 7);
  Array array = encoded_runs(one);
  array.children[0] = *codec::constant::encode({DType::u32, one.data(), 1});
  array.children[1] = array.children[0];
  array.children[0].length = array.children[1].length = uint64_t{1} << 58;
  EXPECT_EQ(array::validate(array).code(), StatusCode::corrupt);
}

// Ends may involve one more lookup, by any codec that has lookups; not two.
TEST(Rle, EndsAreFoundByOneMoreLookup) {
  const std::vector<uint32_t> values{5, 5, 5, 9, 9, 0, 0};
  const std::vector<uint32_t> ends{3, 5, 7};
  const std::vector<uint32_t> inner{1, 2, 3};
  for (const CodecId id : {CodecId::rle, CodecId::sparse, CodecId::dict}) {
    Array array = encoded_runs(values);
    array.children[0] = *find_codec(id)->encode({DType::u32, ends.data(), ends.size()});
    ASSERT_TRUE(array::validate(array).ok()) << array::validate(array).message();
    for (uint64_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(array::value_at(array, i)->bits, values[i]);
    }
    Array& looked_up = array.children[0].children[id == CodecId::dict ? 1 : 0];
    looked_up = *codec::rle::kCodec.encode({DType::u32, inner.data(), inner.size()});
    const Status status = array::validate(array);
    EXPECT_EQ(status.code(), StatusCode::corrupt);
    EXPECT_NE(status.message().find("3 nested lookups"), std::string::npos) << status.message();
  }
}

TEST(Rle, NoValues) {
  const Array array = encoded_runs({});
  EXPECT_TRUE(array::validate(array).ok());
  EXPECT_EQ(array.children[0].length, 0U);
  EXPECT_EQ(array::compare(array, Compare::eq, {0})->count(), 0U);
}

}  // namespace
}  // namespace bobbin::testing
