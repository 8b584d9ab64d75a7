// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "file/segments.hpp"

namespace bobbin::file {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(CheckedCache, KeepsWhatItWasGiven) {
  CheckedCache<int, int> cache(8 * kMiB, kMiB);
  EXPECT_FALSE(cache.find(1).has_value());
  cache.keep(1, 10, 100);
  cache.keep(1, 11, 100);  // the same, by another thread
  EXPECT_EQ(cache.find(1), 10);
}

TEST(CheckedCache, EvictsTheOldestEntries) {
  CheckedCache<int, int> cache(8 * kMiB, kMiB);
  for (int i = 0; i < 20; ++i) {
    cache.keep(i, i, kMiB);
  }
  EXPECT_FALSE(cache.find(11).has_value());
  for (int i = 12; i < 20; ++i) {
    EXPECT_EQ(cache.find(i), i);
  }
}

TEST(CheckedCache, KeepsNothingThatWouldEvictMostOthers) {
  CheckedCache<int, int> cache(8 * kMiB, kMiB);
  cache.keep(1, 1, kMiB);
  cache.keep(2, 2, kMiB + 1);
  EXPECT_EQ(cache.find(1), 1);
  EXPECT_FALSE(cache.find(2).has_value());
}

}  // namespace
}  // namespace bobbin::file
