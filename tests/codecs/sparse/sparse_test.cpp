// SPDX-License-Identifier: Apache-2.0
// Specific to sparse values: the choice of the fill, long outputs, and invalid children.
#include "codecs/sparse/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "array/array.hpp"
#include "codecs/ffor/ffor.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

template <class T>
Array encoded_sparse(const std::vector<T>& values) {
  return *codec::sparse::kCodec.encode({kDTypeOf<T>, values.data(), values.size()});
}

void set_positions(Array& array, const std::vector<uint32_t>& positions) {
  array.children[0] = *codec::ffor::encode({DType::u32, positions.data(), positions.size()});
}

// By counting all values; types of all sizes, with and without a majority.
template <class T>
void check_fills() {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<T> values(1 + random.below(40));
    std::map<T, uint64_t> counts;
    const uint64_t kinds = 1 + random.below(6);
    for (T& value : values) {
      value = static_cast<T>(T{0} - random.below(kinds) * (random.below(2) + 1));
      ++counts[value];
    }
    const auto best =
        std::ranges::max_element(counts, [](const auto& a, const auto& b) { return a.second < b.second; });
    const Array array = encoded_sparse(values);
    EXPECT_EQ(codec::sparse::fill_of(array).bits, best->first) << seed;
    EXPECT_EQ(array.children[0].length, values.size() - best->second);
  }
}

TEST(Sparse, FillIsTheLeastOfTheMostFrequent) {
  check_fills<uint8_t>();
  check_fills<uint16_t>();
  check_fills<uint32_t>();
  check_fills<uint64_t>();
}

TEST(Sparse, SplitHasPositionsAndValues) {
  const std::vector<int16_t> values{-1, 7, -1, -1, 300};
  const Split split = *codec::sparse::split({DType::i16, values.data(), values.size()});
  ASSERT_EQ(split.children.size(), 2U);
  const auto positions = split.children[0].view().as<uint32_t>();
  const auto apart = split.children[1].view().as<int16_t>();
  EXPECT_EQ(std::vector<uint32_t>(positions.begin(), positions.end()), (std::vector<uint32_t>{1, 4}));
  EXPECT_EQ(std::vector<int16_t>(apart.begin(), apart.end()), (std::vector<int16_t>{7, 300}));
}

// Bypassing the caches.
TEST(Sparse, LongOutputs) {
  std::vector<uint32_t> values((uint64_t{2} << 20) + 77, 42);
  Random random(3);
  for (int i = 0; i < 10'000; ++i) {
    values[random.below(values.size())] = static_cast<uint32_t>(random.next());
  }
  const Array array = encoded_sparse(values);
  std::vector<uint32_t> out(values.size());
  ASSERT_TRUE(array::decode(array, std::as_writable_bytes(std::span(out))).ok());
  EXPECT_TRUE(out == values);
  const Array part = *array::slice(array, 54'321, 1'500'000);
  out.resize(part.length);
  ASSERT_TRUE(array::decode(part, std::as_writable_bytes(std::span(out))).ok());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), values.begin() + 54'321));
}

TEST(Sparse, LiesAreRefused) {
  const std::vector<uint8_t> values{1, 1, 5, 1, 9, 1};
  const Array array = encoded_sparse(values);
  const auto refused = [&](const std::function<void(Array&)>& change) {
    Array changed = array;
    change(changed);
    return array::validate(changed).code() == StatusCode::corrupt;
  };
  EXPECT_FALSE(refused([](Array&) {}));
  EXPECT_FALSE(refused([](Array& a) { set_positions(a, {0, 77}); }));
  EXPECT_TRUE(refused([](Array& a) { set_positions(a, {4, 4}); }));
  EXPECT_TRUE(refused([](Array& a) { set_positions(a, {4, 2}); }));
  EXPECT_TRUE(refused([](Array& a) { set_positions(a, {4}); }));
  EXPECT_TRUE(refused([](Array& a) { a.metadata[1] = 1; }));   // a fill of nine bits
  EXPECT_TRUE(refused([](Array& a) { a.metadata[8] = 1; }));   // a first row inside a vector
  EXPECT_TRUE(refused([](Array& a) { a.metadata[12] = 1; }));  // past what 32 bits can represent
  EXPECT_TRUE(refused([](Array& a) { a.children[0].type = DType::i32; }));
  EXPECT_TRUE(refused([](Array& a) { a.type = DType::i8; }));
  EXPECT_TRUE(refused([](Array& a) { a.children.pop_back(); }));
}

// Positions outside of the array's rows.
TEST(Sparse, PositionsOutsideMeanNothing) {
  const std::vector<uint8_t> values{1, 1, 5, 1, 9, 1};
  Array array = encoded_sparse(values);
  set_positions(array, {6, 4'000'000'000});
  std::vector<uint8_t> out(values.size());
  ASSERT_TRUE(array::decode(array, std::as_writable_bytes(std::span(out))).ok());
  EXPECT_EQ(out, std::vector<uint8_t>(6, 1));
  EXPECT_EQ(array::compare(array, Compare::eq, {1})->count(), 6U);
}

}  // namespace
}  // namespace bobbin::testing
