// SPDX-License-Identifier: Apache-2.0
// Averages compared with quotients rounded by exact integer arithmetic.
#include "query/average.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bobbin::query_tests {
namespace {

Int128 integer_of(const std::string& text) {
  Int128 value = 0;
  for (const char c : text) {
    value = c == '-' ? value : value * 10 + (c - '0');
  }
  return text[0] == '-' ? -value : value;
}

TEST(QueryAverages, AreTheNearestDoubles) {
  struct Case {
    const char* sum;
    uint64_t count;
    uint32_t scale;
    double average;
  };
  constexpr Case kCases[] = {
      {"1", 3u, 0, 0x1.5555555555555p-2},
      {"2", 3u, 0, 0x1.5555555555555p-1},
      {"-7", 3u, 0, -0x1.2aaaaaaaaaaabp+1},
      {"9007199254740993", 1u, 0, 0x1.0000000000000p+53},
      {"18014398509481986", 1u, 0, 0x1.0000000000000p+54},
      {"18014398509481990", 1u, 0, 0x1.0000000000002p+54},
      {"27021597764222977", 3u, 0, 0x1.0000000000000p+53},
      {"10000000000000000000000000000000000000", 7u, 18, 0x1.3d34e253845b7p+60},
      {"1", 9223372036854775808u, 18, 0x1.2725dd1d243acp-123},
      {"-1329227995784915872903807060280344575", 1099511627777u, 0, -0x1.fffffffffe000p+79},
      {"18014398509481986", 2u, 0, 0x1.0000000000000p+53},
      {"18446744073709551615", 2u, 0, 0x1.0000000000000p+63},
      {"315", 100u, 2, 0x1.020c49ba5e354p-5},
      {"-1", 1000000u, 4, -0x1.b7cdfd9d7bdbbp-34},
      {"3541774862152233910273", 131072u, 0, 0x1.8000000000000p+54},
      {"123456789012345678901234567", 1000003u, 9, 0x1.cbe93735316fap+36},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(query::average(integer_of(c.sum), c.count, c.scale), c.average)
        << c.sum << " / " << c.count << " / 10^" << c.scale;
  }
  EXPECT_EQ(query::average(0, 5, 2), 0.0);
}

}  // namespace
}  // namespace bobbin::query_tests
