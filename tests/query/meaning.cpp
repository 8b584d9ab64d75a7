// SPDX-License-Identifier: Apache-2.0
#include "tests/query/meaning.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <string>

namespace bobbin::query_tests {
namespace {

using query::Literal;
using testing::Random;

constexpr Int128 kAtto = Int128{1'000'000'000} * 1'000'000'000;  // of a second
constexpr int64_t kDay = 86'400;

Int128 power_of_ten(uint32_t digits) {
  Int128 power = 1;
  for (; digits > 0; --digits) {
    power *= 10;
  }
  return power;
}

int sign_of(Int128 a, Int128 b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// With up to two digits more than the column has, and few enough for a double.
Literal draw_decimal(Random& random, uint32_t scale, Int128 stored) {
  constexpr double kReals[] = {1e300, -1e300, 0.5, -0.0, 1e19, -3.75, 0.005, 3.1};
  constexpr Int128 kMost = 1'000'000'000'000;
  if (random.below(8) == 0) {
    return kReals[random.below(std::size(kReals))];
  }
  const auto nudge = static_cast<Int128>(random.below(3)) - 1;
  if (stored > kMost || stored < -kMost || random.below(4) == 0) {
    return stored / power_of_ten(scale) + nudge;
  }
  const auto more = static_cast<uint32_t>(random.below(3));
  const Int128 digits = stored * power_of_ten(more) + nudge;
  return static_cast<double>(digits) / static_cast<double>(power_of_ten(scale + more));
}

int compare_decimal(uint32_t scale, Int128 stored, const Literal& literal) {
  if (literal.kind == Literal::Kind::integer) {
    return sign_of(stored, literal.integer * power_of_ten(scale));
  }
  constexpr uint32_t kDigits = 6;
  if (std::abs(literal.real) > 1e12) {
    return literal.real < 0 ? 1 : -1;
  }
  const Int128 millionths = llroundl(static_cast<long double>(literal.real) * 1e6L);
  return sign_of(stored * power_of_ten(kDigits - scale), millionths);
}

std::string date_text(int64_t seconds) {
  std::tm parts{};
  const time_t time = seconds;
  gmtime_r(&time, &parts);
  const int64_t year = int64_t{parts.tm_year} + 1900;
  return fmt::format("{}{:04}-{:02}-{:02}",
                     year < 0      ? "-"
                     : year > 9999 ? "+"
                                   : "",
                     std::abs(year), parts.tm_mon + 1, parts.tm_mday);
}

std::string time_text(int64_t seconds, const std::string& fraction) {
  std::tm parts{};
  const time_t time = seconds;
  gmtime_r(&time, &parts);
  return fmt::format("{}{}{:02}:{:02}:{:02}{}", date_text(seconds), seconds % 2 == 0 ? ' ' : 'T',
                     parts.tm_hour, parts.tm_min, parts.tm_sec, fraction);
}

Literal draw_date(Random& random, Int128 stored) {
  constexpr int64_t kSteps[] = {0, kDay, -kDay, 1, -1, kDay / 2};
  const int64_t step = kSteps[random.below(std::size(kSteps))];
  const int64_t seconds = static_cast<int64_t>(stored) * kDay + step;
  return step % kDay == 0 && random.below(2) == 0 ? date_text(seconds) : time_text(seconds, "");
}

Literal draw_milliseconds(Random& random, Int128 stored) {
  constexpr const char* kMore[] = {"", "0", "5", "000000000001", "000000000000"};
  const Int128 time = stored + static_cast<Int128>(random.below(3)) - 1;
  const auto seconds = static_cast<int64_t>(time / 1000 - (time % 1000 < 0 ? 1 : 0));
  if (random.below(6) == 0) {
    return date_text(seconds);
  }
  return time_text(seconds, fmt::format(".{:03}{}", static_cast<int>(time - Int128{seconds} * 1000),
                                        kMore[random.below(std::size(kMore))]));
}

// A well-formed text, in units of 10^-18 seconds.
Int128 attoseconds(const std::string& text) {
  std::tm parts{};
  char* at = nullptr;
  parts.tm_year = static_cast<int>(std::strtoll(text.c_str(), &at, 10) - 1900);
  parts.tm_mon = static_cast<int>(std::strtol(at + 1, &at, 10)) - 1;
  parts.tm_mday = static_cast<int>(std::strtol(at + 1, &at, 10));
  if (*at != '\0') {
    parts.tm_hour = static_cast<int>(std::strtol(at + 1, &at, 10));
    parts.tm_min = static_cast<int>(std::strtol(at + 1, &at, 10));
    parts.tm_sec = static_cast<int>(std::strtol(at + 1, &at, 10));
  }
  Int128 fraction = 0;
  Int128 place = kAtto;
  for (const char* digit = *at == '.' ? at + 1 : at; *digit != '\0'; ++digit) {
    place /= 10;
    fraction += place * (*digit - '0');
  }
  return Int128{timegm(&parts)} * kAtto + fraction;
}

}  // namespace

bool holds(Compare op, int sign) {
  switch (op) {
    case Compare::eq:
      return sign == 0;
    case Compare::ne:
      return sign != 0;
    case Compare::lt:
      return sign < 0;
    case Compare::le:
      return sign <= 0;
    case Compare::gt:
      return sign > 0;
    case Compare::ge:
      return sign >= 0;
  }
  return false;
}

Int128 draw_stored(Random& random, const Logical& logical, Int128 value) {
  constexpr Int128 kNear = 1'000'000;
  if (logical.kind == Logical::Kind::boolean) {
    return value > 70 ? 1 : static_cast<Int128>(random.below(2));
  }
  const bool near = value > -kNear && value < kNear;
  return logical.kind == Logical::Kind::timestamp && near ? value * 20'000'500 : value;
}

Literal draw_by_meaning(Random& random, const Logical& logical, Int128 stored) {
  switch (logical.kind) {
    case Logical::Kind::decimal:
      return draw_decimal(random, logical.scale, stored);
    case Logical::Kind::date:
      return draw_date(random, stored);
    case Logical::Kind::timestamp:
      return draw_milliseconds(random, stored);
    default:
      return random.below(2) == 0 ? Literal(stored != 0) : Literal(static_cast<int>(random.below(2)));
  }
}

bool compares_by_meaning(const Logical& logical, Int128 stored, Compare op, const Literal& literal) {
  switch (logical.kind) {
    case Logical::Kind::decimal:
      return holds(op, compare_decimal(logical.scale, stored, literal));
    case Logical::Kind::date:
      return holds(op, sign_of(stored * kDay * kAtto, attoseconds(literal.text)));
    case Logical::Kind::timestamp:
      return holds(op, sign_of(stored * (kAtto / 1000), attoseconds(literal.text)));
    default:
      return holds(op, sign_of(stored, literal.integer));
  }
}

}  // namespace bobbin::query_tests
