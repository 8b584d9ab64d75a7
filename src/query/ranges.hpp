// SPDX-License-Identifier: Apache-2.0
// Converts constants of any kind to ranges of a column's type. Integer columns compare exactly, with all
// digits of the constant. Float columns compare exactly with integers; other constants are first rounded to
// the nearest value of the type, but one beyond all finite values stays between them and infinity.
#pragma once

#include <span>
#include <vector>

#include "bobbin/query.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"
#include "query/place.hpp"

namespace bobbin::query {

// The operator that means the same with the sides exchanged.
[[nodiscard]] constexpr Compare mirrored(Compare op) {
  switch (op) {
    case Compare::lt:
      return Compare::gt;
    case Compare::le:
      return Compare::ge;
    case Compare::gt:
      return Compare::lt;
    case Compare::ge:
      return Compare::le;
    case Compare::eq:
    case Compare::ne:
      break;
  }
  return op;
}

// The constants and the type must be numeric.
[[nodiscard]] ValueRange range_of(DType type, Compare op, const Literal& literal);
[[nodiscard]] ValueRange range_between(DType type, const Literal& least, const Literal& greatest);
// The smallest number of ranges that contain the values equal to one of the constants; adjacent integers
// share one.
[[nodiscard]] std::vector<ValueRange> ranges_of(DType type, std::span<const Literal> literals);

// The same for integers and constants whose positions among them are known.
[[nodiscard]] ValueRange range_of(DType type, Compare op, const Place& place);
[[nodiscard]] ValueRange range_between(DType type, const Place& least, const Place& greatest);
[[nodiscard]] std::vector<ValueRange> ranges_of(DType type, std::span<const Place> places);

[[nodiscard]] constexpr ValueRange negated(ValueRange range) {
  range.negated = !range.negated;
  return range;
}

// Whether it contains every value, including NaN.
[[nodiscard]] bool is_everything(DType type, const ValueRange& range);
// Whether it contains no value.
[[nodiscard]] bool is_nothing(DType type, const ValueRange& range);

}  // namespace bobbin::query
