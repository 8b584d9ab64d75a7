// SPDX-License-Identifier: Apache-2.0
// Converts days since 1970-01-01 to and from dates of the proleptic Gregorian calendar, with a year 0 before
// the year 1. Valid for days and years up to about 10^12.
#pragma once

#include <cstdint>

namespace bobbin {

inline constexpr int64_t kSecondsPerDay = 86'400;

struct CivilDate {
  int64_t year = 0;
  uint32_t month = 0;  // 1 to 12
  uint32_t day = 0;    // 1 to 31

  friend constexpr bool operator==(const CivilDate&, const CivilDate&) = default;
};

[[nodiscard]] constexpr int64_t floor_divide(int64_t value, int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

[[nodiscard]] constexpr bool is_leap_year(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

[[nodiscard]] constexpr uint32_t days_of_month(int64_t year, uint32_t month) {
  return month == 2 ? (is_leap_year(year) ? 29U : 28U) : 30U + ((month + month / 8) & 1U);
}

// Years begin in March here, so that the leap day is the last day of the year; the calendar repeats every 400
// years (146097 days). Day 719468 of that count, which begins in March of the year 0, is 1970-01-01.
[[nodiscard]] constexpr int64_t days_of(const CivilDate& date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = floor_divide(year, 400);
  const auto year_of_era = static_cast<uint32_t>(year - era * 400);
  const uint32_t day_of_year =
      (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  const uint32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + int64_t{day_of_era} - 719468;
}

[[nodiscard]] constexpr CivilDate date_of(int64_t days) {
  days += 719468;
  const int64_t era = floor_divide(days, 146097);
  const auto day_of_era = static_cast<uint32_t>(days - era * 146097);
  const uint32_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint32_t month_of_year = (5 * day_of_year + 2) / 153;
  const uint32_t month = month_of_year < 10 ? month_of_year + 3 : month_of_year - 9;
  return {.year = int64_t{year_of_era} + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * month_of_year + 2) / 5 + 1};
}

}  // namespace bobbin
