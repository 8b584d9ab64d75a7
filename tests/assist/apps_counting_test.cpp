// SPDX-License-Identifier: Apache-2.0
// Applications that count, over every layout: their results are those of plain loops.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "assist/apps/counting.hpp"
#include "tests/assist/app_arrays.hpp"

namespace bobbin::testing {
namespace {

using namespace assist::apps;

template <class Data, bool kFilters>
void check_sum(uint64_t length) {
  using T = typename Data::Value;
  AppArray<Data> array(length);
  const T low = array.values()[0];
  const T span = 1000;
  unsigned long long expected[2] = {0, 0};
  for (const T x : array.values()) {
    const bool hit = !kFilters || static_cast<T>(x - low) <= span;
    expected[0] += hit ? x : 0;
    expected[1] += hit ? 1 : 0;
  }
  with_streams(array, [&]<assist::Policy kPolicy, class View>(const View& view) {
    unsigned long long found[2] = {0, 0};
    run_in_emulator(assist::SumKernel<View, kFilters, kPolicy>{view, low, span, {found, 2}});
    EXPECT_EQ(found[0], expected[0]);
    EXPECT_EQ(found[1], expected[1]);
  });
}

TEST(AssistApps, Sum) {
  check_sum<MeterData, false>(100'003);
  check_sum<IdData, false>(20'001);
  check_sum<HashData, false>(5'000);
}

TEST(AssistApps, Filter) {
  check_sum<MeterData, true>(100'003);
  check_sum<IdData, true>(20'001);
}

TEST(AssistApps, Histogram) {
  AppArray<SampleData> array(80'002);
  std::vector<uint32_t> expected(256);
  for (const uint32_t x : array.values()) {
    ++expected[x / 16 % 256];
  }
  with_streams(array, [&]<assist::Policy kPolicy, class View>(const View& view) {
    std::vector<uint32_t> found(256);
    run_in_emulator(HistogramApp<View, kPolicy>{view, {found.data(), found.size()}});
    EXPECT_EQ(found, expected);
  });
}

TEST(AssistApps, PageViews) {
  AppArray<PageData> array(40'001);
  std::vector<uint32_t> expected(PageData::kPages);
  for (const uint64_t x : array.values()) {
    ++expected[x - PageData::kFirst];
  }
  with_streams(array, [&]<assist::Policy kPolicy, class View>(const View& view) {
    std::vector<uint32_t> found(PageData::kPages);
    run_in_emulator(PageViewApp<View, kPolicy>{view, {found.data(), found.size()}});
    EXPECT_EQ(found, expected);
  });
}

// Patterns that occur at every place of a quad, also across two.
TEST(AssistApps, StringMatch) {
  AppArray<TextData> array(50'013);
  const std::vector<uint8_t>& text = array.values();
  for (const uint64_t from : {3, 13, 14, 31, 1000, 50'009}) {
    uint32_t pattern = 0;
    std::memcpy(&pattern, text.data() + from, sizeof pattern);
    unsigned long long expected = 0;
    for (uint64_t i = 0; i + sizeof pattern <= text.size(); ++i) {
      expected += std::memcmp(text.data() + i, &pattern, sizeof pattern) == 0 ? 1 : 0;
    }
    ASSERT_NE(expected, 0U);
    with_streams(array, [&]<assist::Policy kPolicy, class View>(const View& view) {
      unsigned long long found = 0;
      run_in_emulator(MatchApp<View, kPolicy>{view, pattern, {&found, 1}});
      EXPECT_EQ(found, expected) << from;
    });
  }
}

}  // namespace
}  // namespace bobbin::testing
