// SPDX-License-Identifier: Apache-2.0
// From constants of any kind to ranges of a column's type. Integer columns compare exactly, by all digits of
// the constant. Float columns compare exactly with integers; other constants are rounded to the nearest value
// of the type first, but one beyond all finite values stays between them and infinity.
#pragma once

#include <span>
#include <vector>

#include "bobbin/query.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"
#include "query/place.hpp"

namespace bobbin::query {

// The constants are numbers, the type is one of numbers.
[[nodiscard]] ValueRange range_of(DType type, Compare op, const Literal& literal);
[[nodiscard]] ValueRange range_between(DType type, const Literal& least, const Literal& greatest);
// As few ranges as hold the values that equal one of the constants; neighbouring integers share one.
[[nodiscard]] std::vector<ValueRange> ranges_of(DType type, std::span<const Literal> literals);

// The same for integers and constants whose places among them are known.
[[nodiscard]] ValueRange range_of(DType type, Compare op, const Place& place);
[[nodiscard]] ValueRange range_between(DType type, const Place& least, const Place& greatest);
[[nodiscard]] std::vector<ValueRange> ranges_of(DType type, std::span<const Place> places);

// Whether every value lies in it, NaN too.
[[nodiscard]] bool is_everything(DType type, const ValueRange& range);
// Whether no value does.
[[nodiscard]] bool is_nothing(DType type, const ValueRange& range);

}  // namespace bobbin::query
