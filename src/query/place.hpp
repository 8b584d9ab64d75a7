// SPDX-License-Identifier: Apache-2.0
// Constants among the integers that a column stores. A constant need not be one of them: 3.505 lies between
// 350 and 351 of decimal(2), and noon between two dates.
#pragma once

#include <cstdint>
#include <string_view>

#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "bobbin/status.hpp"

namespace bobbin::query {

// Beyond all values of 64 bits, with room for a step in either direction.
inline constexpr Int128 kFar = Int128{1} << 100;

// The integers next to a constant, the same when it is one.
struct Place {
  Int128 floor = 0;
  Int128 ceil = 0;
  bool is_nan = false;  // then there are none
};

// Of the number itself, by all its digits; the constant is a number.
[[nodiscard]] Place place_of(const Literal& literal);
// Of a number's text (a sign, digits, a point, an exponent) times 10^scale, whatever its length.
[[nodiscard]] Place place_of_digits(std::string_view text, uint32_t scale);
// A number's text (an optional sign, digits, a point, an exponent) as a constant, whatever its length. The
// digits are kept wherever the nearest double would compare differently with some column.
[[nodiscard]] Literal literal_of_digits(std::string_view text);
// The value of a float type nearest to a number's text; infinity beyond all finite values.
template <class T>
[[nodiscard]] T nearest_to_digits(std::string_view text);
// Among the values of a column that stands for something else than its integers. Errors name the column, its
// type and the constant.
[[nodiscard]] Result<Place> place_in(const Column& column, const Literal& literal);

}  // namespace bobbin::query
