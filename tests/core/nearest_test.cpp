// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bobbin/schema.hpp"
#include "bobbin/text.hpp"

namespace bobbin {
namespace {

using Words = std::vector<std::string>;

TEST(Nearest, FindsWhatWasMeant) {
  const Words words = {"compress", "decompress", "cat", "stats"};
  EXPECT_EQ(nearest("compres", words), "compress");
  EXPECT_EQ(nearest("copmress", words), "compress");
  EXPECT_EQ(nearest("decomp", words), "decompress");
  EXPECT_EQ(nearest("cta", words), "cat");
  EXPECT_EQ(nearest("status", words), "stats");
  EXPECT_EQ(nearest("x", words), "");
  EXPECT_EQ(nearest("x", Words{"a", "b"}), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest(std::string(1000, 'c'), words), "");
}

TEST(Nearest, FindsNamesByTheirParts) {
  const Words names = {"VendorID",        "tpep_pickup_datetime", "tpep_dropoff_datetime",
                       "passenger_count", "trip_distance",        "fare_amount",
                       "Tip Amount",      "totalAmount",          "a"};
  EXPECT_EQ(nearest("fair", names), "fare_amount");
  EXPECT_EQ(nearest("fare", names), "fare_amount");
  EXPECT_EQ(nearest("FARE_AMOUNT", names), "fare_amount");
  EXPECT_EQ(nearest("fareamount", names), "fare_amount");
  EXPECT_EQ(nearest("vendor", names), "VendorID");
  EXPECT_EQ(nearest("distance", names), "trip_distance");
  EXPECT_EQ(nearest("pickup_time", names), "tpep_pickup_datetime");
  EXPECT_EQ(nearest("dropoff", names), "tpep_dropoff_datetime");
  EXPECT_EQ(nearest("tip", names), "Tip Amount");
  EXPECT_EQ(nearest("total_amount", names), "totalAmount");
  EXPECT_EQ(nearest("pasenger_cuont", names), "passenger_count");
  EXPECT_EQ(nearest("weather", names), "");
  EXPECT_EQ(nearest("zz", names), "");
  EXPECT_EQ(did_you_mean("fair", names), "; did you mean 'fare_amount'?");
}

std::string message_for(const Words& names, const std::string& name) {
  std::vector<Column> columns;
  for (const std::string& one : names) {
    columns.push_back({one, DType::i64});
  }
  return no_such_column(columns, name).message();
}

TEST(NoSuchColumn, SaysWhatWasMeant) {
  const Words names = {"city", "fare_amount", "growth (%)"};
  const std::string all = "there are 'city', 'fare_amount', 'growth (%)'";
  EXPECT_EQ(message_for(names, "fair"),
            "column 'fair' does not exist; did you mean 'fare_amount'? T" + all.substr(1));
  EXPECT_EQ(message_for(names, "weather"), "column 'weather' does not exist; " + all);
  EXPECT_EQ(message_for(names, "grwoth (%)"),
            "column 'grwoth (%)' does not exist; did you mean 'growth (%)'? T" + all.substr(1));
  EXPECT_EQ(message_for(names, "upper(city)"),
            "'upper(city)' is not a column: function 'upper' is not supported here; " + all);
  EXPECT_EQ(message_for(names, "fare_amount+1"),
            "'fare_amount+1' is not a column: expressions are not supported here; " + all);
  EXPECT_EQ(
      message_for(names, "DISTINCT city"),
      "'DISTINCT city' is not a column: 'distinct' is not supported here; group by the columns to get their "
      "distinct values; " +
          all);
  EXPECT_EQ(message_for(names, "city as town"),
            "'city as town' is not a column: columns cannot be renamed; " + all);
  EXPECT_EQ(message_for(names, std::string(99, 'x') + "\n"),
            "column '" + std::string(64, 'x') + "...' does not exist; " + all);
}

}  // namespace
}  // namespace bobbin
