// SPDX-License-Identifier: Apache-2.0
// The position of constants among the integers that a column stores. A constant need not be one of them:
// 3.505 is between 350 and 351 of decimal(2), and noon is between two dates.
#pragma once

#include <cstdint>
#include <string_view>

#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "bobbin/status.hpp"

namespace bobbin::query {

// Beyond all 64-bit values, with room for a step in either direction.
inline constexpr Int128 kFar = Int128{1} << 100;

// The integers adjacent to a constant; both are the same if it is one.
struct Place {
  Int128 floor = 0;
  Int128 ceil = 0;
  bool is_nan = false;  // then there are none
};

// The position of the number itself, with all its digits; the constant must be a number.
[[nodiscard]] Place place_of(const Literal& literal);
// The position of a number's text (a sign, digits, a point, an exponent) times 10^scale, whatever its length;
// not beyond `far` in either direction.
[[nodiscard]] Place place_of_digits(std::string_view text, uint32_t scale, Int128 far = kFar);
// The same for a finite number, or one with digits, among all integers of 128 bits.
[[nodiscard]] Place place_in_128_bits(const Literal& number, uint32_t scale);
// A number's text (an optional sign, digits, a point, an exponent) as a constant, whatever its length. The
// digits are kept if the nearest double would compare differently with some column.
[[nodiscard]] Literal literal_of_digits(std::string_view text);
// The value of a float type nearest to a number's text; infinity if it is beyond all finite values.
template <class T>
[[nodiscard]] T nearest_to_digits(std::string_view text);
// The position among the values of a column with a logical type. Errors name the column, its type and the
// constant.
[[nodiscard]] Result<Place> place_in(const Column& column, const Literal& literal);

}  // namespace bobbin::query
