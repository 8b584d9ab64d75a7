// SPDX-License-Identifier: Apache-2.0
// The first rows of an order, found by thresholds: of floats, decimals and columns with nulls, in row groups
// that are large enough for a sample and in others.
#include <gtest/gtest.h>

#include "bobbin/bobbin.hpp"
#include "tests/backends.hpp"
#include "tests/drawn.hpp"
#include "tests/query/top_rows.hpp"

namespace bobbin::query_tests {
namespace {

using query::OrderTerm;

TEST(TopRows, AreThoseOfTheWholeOrder) {
  constexpr uint64_t kLimits[] = {1, 20, 3000};
  EXPECT_EQ(check_top_rows(Backend::cpu, kLimits), "");
}

TEST(TopRows, AreTheSameOnTheEmulator) {
  SKIP_WITHOUT_EMULATOR();
  constexpr uint64_t kLimits[] = {10};
  EXPECT_EQ(check_top_rows(Backend::emulator, kLimits), "");
}

// A limit above those that are sorted for each row group has no threshold: it gives the whole order.
TEST(TopRows, WithNullsFirstOrLastAndMoreTerms) {
  const file_tests::TempDir dir;
  ASSERT_OK(write(dir / "t.bob", draw_top_table(), kTopRowGroup));
  const Reader reader = Reader::open(dir / "t.bob").value();
  const query::Query some = query::from(reader).where(query::col("price") < 50);
  for (const uint64_t i : bobbin::testing::drawn(16)) {
    const std::string column = (i & 1) != 0 ? "float" : "empty";
    const auto nulls = (i & 2) != 0 ? OrderTerm::Nulls::first : OrderTerm::Nulls::last;
    std::vector<OrderTerm> order{{.column = column, .is_descending = (i & 4) != 0, .nulls = nulls}};
    if ((i & 8) != 0) {
      order.push_back(query::descending("rising"));
    }
    const Rows whole = some.select({column, "rising"}, {.order = order, .limit = kTopRows})->rows;
    const Rows first = some.select({column, "rising"}, {.order = order, .limit = 25})->rows;
    ASSERT_TRUE(same_rows(first, first_rows(whole, 25))) << i;
  }
}

}  // namespace
}  // namespace bobbin::query_tests
