// SPDX-License-Identifier: Apache-2.0
#include "query/average.hpp"

#include <cmath>

#include "core/digits.hpp"

namespace bobbin::query {

// Long division until there are more bits than a double keeps; of the remainder it only matters whether it is
// zero.
double average(Int128 sum, uint64_t count, uint32_t scale) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kEnough = Wide{1} << 60;
  const Wide divisor = Wide{count} * kPowersOfTen[scale];  // below 2^124
  const Wide magnitude = sum < 0 ? -static_cast<Wide>(sum) : static_cast<Wide>(sum);
  if (magnitude == 0) {
    return 0;
  }
  Wide quotient = magnitude / divisor;
  Wide rest = magnitude % divisor;
  int exponent = 0;
  for (; quotient < kEnough && rest != 0; --exponent) {
    rest <<= 1;
    quotient = quotient << 1 | (rest >= divisor ? 1 : 0);
    rest -= rest >= divisor ? divisor : 0;
  }
  const double value = std::ldexp(static_cast<double>(quotient | (rest != 0 ? 1 : 0)), exponent);
  return sum < 0 ? -value : value;
}

}  // namespace bobbin::query
