// SPDX-License-Identifier: Apache-2.0
// Sets of ranges contain what one, or each, of the ranges contains.
#include "query/key_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::KeySet;

template <class T>
T draw_value(Random& random) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kSpecial[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(), T{0}, -T{0}};
    return random.below(4) == 0 ? kSpecial[random.below(5)] : static_cast<T>(random.below(20)) - T{10};
  } else {
    constexpr T kSpecial[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    return random.below(5) == 0 ? kSpecial[random.below(2)]
                                : static_cast<T>(random.below(20) - (std::is_signed_v<T> ? 10 : 0));
  }
}

TEST(QueryKeySets, HoldWhatRangesHold) {
  Random random(3);
  for (const DType type : kAllTypes) {
    visit_type(type, [&]<class T>(std::type_identity<T>) {
      for (int round = 0; round < 200; ++round) {
        std::vector<ValueRange> ranges;
        for (uint64_t i = 1 + random.below(6); i > 0; --i) {
          ranges.push_back(random.below(3) == 0 ? ValueRange::between(type, scalar_of(draw_value<T>(random)),
                                                                      scalar_of(draw_value<T>(random)))
                                                : ValueRange::of(type, static_cast<Compare>(random.below(6)),
                                                                 scalar_of(draw_value<T>(random))));
          ranges.back().negated = ranges.back().negated != (random.below(4) == 0);
        }
        const KeySet any = KeySet::any_of(type, ranges);
        const KeySet all = KeySet::all_of(type, ranges);
        for (int i = 0; i < 50; ++i) {
          const T value = draw_value<T>(random);
          const auto holds = [&](const ValueRange& range) { return range.holds(type, scalar_of(value)); };
          const auto key = query::set_key(value);
          ASSERT_EQ(any.holds(key), std::ranges::any_of(ranges, holds)) << to_string(type) << " " << +value;
          ASSERT_EQ(all.holds(key), std::ranges::all_of(ranges, holds)) << to_string(type) << " " << +value;
          ASSERT_EQ(any.complement().holds(key), !any.holds(key));
        }
      }
    });
  }
}

TEST(QueryKeySets, KnowStretches) {
  const ValueRange ranges[] = {ValueRange::between(DType::i8, scalar_of(int8_t{-5}), scalar_of(int8_t{2})),
                               ValueRange::between(DType::i8, scalar_of(int8_t{3}), scalar_of(int8_t{9})),
                               ValueRange::between(DType::i8, scalar_of(int8_t{20}), scalar_of(int8_t{127}))};
  const KeySet set = KeySet::any_of(DType::i8, ranges);
  const auto key = [](int value) { return query::set_key(static_cast<int8_t>(value)); };
  EXPECT_TRUE(set.holds_all(key(-5), key(9)));  // adjacent intervals are merged
  EXPECT_FALSE(set.holds_all(key(-5), key(10)));
  EXPECT_FALSE(set.holds_any(key(10), key(19)));
  EXPECT_TRUE(set.holds_any(key(10), key(20)));
  EXPECT_TRUE(set.holds_all(key(20), key(127)));
  EXPECT_FALSE(set.holds_any(key(-128), key(-6)));
}

}  // namespace
}  // namespace bobbin::query_tests
