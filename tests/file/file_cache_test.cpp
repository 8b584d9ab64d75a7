// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "file/segments.hpp"

namespace bobbin::file {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
using IntCache = CheckedCache<int, int>;
constexpr uint64_t kEightOfMiB = 8 * (kMiB + IntCache::kEntryBytes);

TEST(CheckedCache, KeepsWhatItWasGiven) {
  IntCache cache(kEightOfMiB, kMiB);
  EXPECT_FALSE(cache.find(1).has_value());
  cache.keep(1, 10, 100);
  cache.keep(1, 11, 100);  // the same, by another thread
  EXPECT_EQ(cache.find(1), 10);
}

TEST(CheckedCache, EvictsTheOldestEntries) {
  IntCache cache(kEightOfMiB, kMiB);
  for (int i = 0; i < 20; ++i) {
    cache.keep(i, i, kMiB);
  }
  EXPECT_FALSE(cache.find(11).has_value());
  for (int i = 12; i < 20; ++i) {
    EXPECT_EQ(cache.find(i), i);
  }
}

TEST(CheckedCache, CountsWhatEntriesTakeBesidesTheirBytes) {
  IntCache cache(100 * IntCache::kEntryBytes, kMiB);
  for (int i = 0; i < 200; ++i) {
    cache.keep(i, i, 1);
  }
  EXPECT_FALSE(cache.find(100).has_value());
  EXPECT_EQ(cache.find(101), 101);
}

TEST(CheckedCache, KeepsNothingThatWouldEvictMostOthers) {
  IntCache cache(kEightOfMiB, kMiB);
  cache.keep(1, 1, kMiB);
  cache.keep(2, 2, kMiB + 1);
  EXPECT_EQ(cache.find(1), 1);
  EXPECT_FALSE(cache.find(2).has_value());
}

TEST(CheckedCache, ALargerEntryReplacesASmallerOne) {
  IntCache cache(kEightOfMiB, kMiB);
  cache.keep(1, 10, 100);
  cache.keep(1, 11, 200);
  cache.keep(1, 12, 150);
  EXPECT_EQ(cache.find(1), 11);
  for (int i = 2; i < 10; ++i) {
    cache.keep(i, i, kMiB);
  }
  EXPECT_FALSE(cache.find(1).has_value());  // 200 bytes too many, not 300 or 100
  EXPECT_EQ(cache.find(2), 2);
}

}  // namespace
}  // namespace bobbin::file
