// SPDX-License-Identifier: Apache-2.0
#include "codecs/delta/delta.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "tests/codecs/delta/series.hpp"

namespace bobbin::testing {
namespace {

using codec::delta::Parameters;

TEST(Delta, EveryParameterDecodes) {
  for (const uint64_t length : {0, 1, 2, 31, 32, 33, 255, 1023, 1024, 1025, 3000}) {
    EXPECT_EQ(check_every_parameter(Backend::cpu, length), "") << length << " values";
  }
}

TEST(Delta, ChoosesWellByItself) {
  for (const Series& series : all_series()) {
    for (const DType type : {DType::i32, DType::i64}) {
      const Input input = make_series(series, type, 100'000);
      const Array array = *codec::delta::encode(input.values());
      const Parameters chosen = codec::delta::parameters_of(array);
      EXPECT_EQ(chosen.tuple, series.best.tuple) << input.name;
      EXPECT_EQ(chosen.order, series.best.order) << input.name;
      const Array other = *find_codec(CodecId::ffor)->encode(input.values());
      EXPECT_LT(array::encoded_bytes(array) * 2, array::encoded_bytes(other)) << input.name;
    }
  }
}

// The chosen size is at most 1 % above the best of all.
TEST(Delta, ChoiceIsNearTheBest) {
  for (const Series& series : all_series()) {
    const Input input = make_series(series, DType::i32, 20'000);
    const uint64_t chosen = array::encoded_bytes(*codec::delta::encode(input.values()));
    uint64_t best = chosen;
    for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
      for (uint32_t tuple = 1; tuple <= scan::kMaxTuple; ++tuple) {
        best =
            std::min(best, array::encoded_bytes(*codec::delta::encode_with(input.values(), {order, tuple})));
      }
    }
    EXPECT_LE(static_cast<double>(chosen), 1.01 * static_cast<double>(best)) << series.name;
  }
}

// Few values that gain nothing are recognised quickly; series are not taken for such.
TEST(Delta, KnowsWhatIsHopeless) {
  Random random(7);
  std::vector<uint8_t> codes(1600);
  std::ranges::generate(codes, [&] { return static_cast<uint8_t>(random.below(5)); });
  EXPECT_TRUE(codec::delta::is_hopeless<uint8_t>(codes));
  std::vector<uint32_t> months(1600);
  for (uint32_t i = 0; i < months.size(); ++i) {
    months[i] = 1000 + i % 12 * i % 12;
  }
  EXPECT_FALSE(codec::delta::is_hopeless<uint32_t>(months));
  for (const Series& series : all_series()) {
    const Input input = make_series(series, DType::i64, 5000);
    EXPECT_FALSE(codec::delta::is_hopeless(input.values().as<uint64_t>())) << input.name;
  }
  std::vector<uint32_t> few(32);  // a word each, whatever their width
  for (uint32_t i = 0; i < few.size(); ++i) {
    few[i] = i % 5 * i % 5 * 1000;
  }
  EXPECT_FALSE(codec::delta::is_hopeless<uint32_t>(few));
  few[20] = 1;
  EXPECT_TRUE(codec::delta::is_hopeless<uint32_t>(few));
  EXPECT_FALSE(codec::delta::is_hopeless<uint32_t>({}));
}

TEST(Delta, RefusesOrdersAndStridesOutOfRange) {
  const Input input = make_series(all_series()[0], DType::u32, 100);
  for (const Parameters p : {Parameters{0, 1}, Parameters{9, 1}, Parameters{1, 0}, Parameters{1, 33}}) {
    EXPECT_EQ(codec::delta::encode_with(input.values(), p).error().code(), StatusCode::invalid_argument);
    Array array = *codec::delta::encode(input.values());
    array.metadata = {static_cast<uint8_t>(p.order), static_cast<uint8_t>(p.tuple)};
    EXPECT_EQ(array::validate(array).code(), StatusCode::corrupt);
  }
}

TEST(Delta, RefusesAWrongChild) {
  const Input input = make_series(all_series()[1], DType::u32, 3000);
  const Array array = *codec::delta::encode(input.values());
  ASSERT_TRUE(array::validate(array).ok());
  const auto refused = [&](auto&& damage) {
    Array bad = array;
    damage(bad);
    return array::validate(bad).code() == StatusCode::corrupt;
  };
  EXPECT_TRUE(refused([](Array& a) { a.children.clear(); }));
  EXPECT_TRUE(refused([](Array& a) { a.children.push_back(a.children[0]); }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].type = DType::u32; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].codec = CodecId::bitpack; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].length -= 1; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].offset = 1; }));
  EXPECT_TRUE(refused([](Array& a) { a.children[0].buffers[2] = a.children[0].buffers[2].sub(0, 128); }));
  EXPECT_TRUE(refused([](Array& a) { a.buffers[0] = a.buffers[0].sub(0, a.buffers[0].bytes.size() - 4); }));
}

template <class T>
Values values_of(const std::vector<T>& values) {
  return {kDTypeOf<T>, values.data(), values.size()};
}

TEST(Delta, BoundsOfSortedValuesAreExact) {
  std::vector<int32_t> values;
  for (int32_t i = 0; i < 10'000; ++i) {
    values.push_back(-5000 + i / 3);
  }
  const Array array = *codec::delta::encode_with(values_of(values), {1, 1});
  for (const uint64_t begin : {0, 1000, 1024, 5001}) {
    const Array part = *array::slice(array, begin, 4000);
    const auto bounds = codec::delta::bounds(part);
    ASSERT_TRUE(bounds.has_value());
    EXPECT_TRUE(bounds->sorted);
    EXPECT_EQ(static_cast<int32_t>(bounds->min.bits), values[begin]);
    EXPECT_EQ(static_cast<int32_t>(bounds->max.bits), values[begin + 3999]);
  }
}

TEST(Delta, BoundsHoldAllValues) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::vector<uint32_t> values(5000);
    uint32_t value = seed % 3 == 0 ? 0 : 1u << 31;
    for (uint32_t& v : values) {
      value += static_cast<uint32_t>(random.below(seed % 5 == 0 ? 1u << 20 : 100)) - (seed % 2 == 0 ? 0 : 50);
      v = value;
    }
    const auto bounds = codec::delta::bounds(*codec::delta::encode_with(values_of(values), {1, 1}));
    const bool sorted = std::is_sorted(values.begin(), values.end());
    if (bounds.has_value()) {
      EXPECT_LE(bounds->min.bits, *std::min_element(values.begin(), values.end())) << seed;
      EXPECT_GE(bounds->max.bits, *std::max_element(values.begin(), values.end())) << seed;
      EXPECT_TRUE(sorted || !bounds->sorted) << seed;
    }
  }
}

TEST(Delta, NothingIsKnownOfOtherOrders) {
  const Input input = make_series(all_series()[3], DType::i64, 2000);
  EXPECT_FALSE(codec::delta::bounds(*codec::delta::encode_with(input.values(), {2, 1})).has_value());
  EXPECT_FALSE(codec::delta::bounds(*codec::delta::encode_with(input.values(), {1, 2})).has_value());
}

}  // namespace
}  // namespace bobbin::testing
