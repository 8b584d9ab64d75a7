// SPDX-License-Identifier: Apache-2.0
// Columns of TPC-H's lineitem, with the distributions of its generator.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace bobbin::bench {

struct LineItems {
  std::vector<int32_t> day;       // shipped, since 1970
  std::vector<int64_t> quantity;  // decimals with two digits
  std::vector<int64_t> price;
  std::vector<int64_t> discount;
  std::vector<int64_t> tax;
  std::vector<uint8_t> flag;   // A, N, R
  std::vector<uint8_t> state;  // F, O

  [[nodiscard]] uint64_t rows() const { return day.size(); }

  static LineItems drawn(uint64_t rows) {
    constexpr int32_t kFirstOrder = 8035;  // 1992-01-01
    constexpr int32_t kToday = 9298;       // 1995-06-17
    LineItems lines;
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t a = mix(2 * i + 1);
      const uint64_t b = mix(2 * i + 2);
      const auto day = static_cast<int32_t>(kFirstOrder + a % 2406 + 1 + (a >> 12) % 121);
      const auto quantity = static_cast<int64_t>(1 + (a >> 24) % 50);
      lines.day.push_back(day);
      lines.quantity.push_back(quantity * 100);
      lines.price.push_back(quantity * (90'000 + static_cast<int64_t>((a >> 40) % 120'000)));
      lines.discount.push_back(static_cast<int64_t>(b % 11));
      lines.tax.push_back(static_cast<int64_t>((b >> 8) % 9));
      const bool received = day + 1 + static_cast<int32_t>((b >> 16) % 30) <= kToday;
      lines.flag.push_back(received ? static_cast<uint8_t>((b >> 32) % 2 * 2) : uint8_t{1});
      lines.state.push_back(day > kToday ? 1 : 0);
    }
    return lines;
  }

 private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
};

// SSB's dates: 19940131.
inline int32_t date_number(int32_t days_since_1970) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days_since_1970}}};
  return static_cast<int32_t>(date.year()) * 10'000 + static_cast<int32_t>(unsigned{date.month()}) * 100 +
         static_cast<int32_t>(unsigned{date.day()});
}

}  // namespace bobbin::bench
