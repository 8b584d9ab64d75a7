// SPDX-License-Identifier: Apache-2.0
#include "query/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/bits.hpp"
#include "core/scalar.hpp"

namespace bobbin::query {
namespace {

// Integers from `least` to `greatest`, inclusive; empty if they are in the wrong order.
struct PlaceInterval {
  Int128 least = -kFar;
  Int128 greatest = kFar;
};

PlaceInterval meet(const PlaceInterval& a, const PlaceInterval& b) {
  return {std::max(a.least, b.least), std::min(a.greatest, b.greatest)};
}

constexpr PlaceInterval kNone{1, 0};

// The integers that satisfy the comparison; for `ne` those that do not.
PlaceInterval interval_of(Compare op, const Place& place) {
  if (place.is_nan) {
    return kNone;
  }
  switch (op) {
    case Compare::eq:
    case Compare::ne:
      return {place.ceil, place.floor};
    case Compare::lt:
      return {-kFar, place.ceil - 1};
    case Compare::le:
      return {-kFar, place.floor};
    case Compare::gt:
      return {place.floor + 1, kFar};
    case Compare::ge:
      return {place.ceil, kFar};
  }
  return kNone;
}

PlaceInterval interval_of(DType type) {
  return visit_integer(type, []<class T>(std::type_identity<T>) {
    return PlaceInterval{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  });
}

ValueRange to_range(DType type, const PlaceInterval& interval) {
  const PlaceInterval held = meet(interval, interval_of(type));
  if (held.least > held.greatest) {
    return ValueRange::none(type);
  }
  return visit_integer(type, [&]<class T>(std::type_identity<T>) {
    return ValueRange::between(type, scalar_of(static_cast<T>(held.least)),
                               scalar_of(static_cast<T>(held.greatest)));
  });
}

// The values of a float type adjacent to a constant; both are the same if the constant is one.
template <class T>
struct Neighbours {
  T above;  // the smallest value that is not below it
  T below;  // the largest value that is not above it
};

constexpr double kAllIntegers = 0x1p127;  // one more than the greatest Int128

template <class T>
bool is_above(T value, Int128 integer) {
  return value >= static_cast<T>(kAllIntegers) || static_cast<Int128>(value) > integer;
}
template <class T>
bool is_below(T value, Int128 integer) {
  return value < static_cast<T>(kAllIntegers) && static_cast<Int128>(value) < integer;
}

template <class T>
Neighbours<T> neighbours_of(Int128 integer) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T nearest = static_cast<T>(integer);
  return {is_below(nearest, integer) ? std::nextafter(nearest, kInfinity) : nearest,
          is_above(nearest, integer) ? std::nextafter(nearest, -kInfinity) : nearest};
}

// A number that is not an integer means the nearest value; one beyond all finite values is between them and
// infinity.
template <class T>
Neighbours<T> neighbours_of(const Literal& literal) {
  using Limits = std::numeric_limits<T>;
  if (literal.kind == Literal::Kind::integer) {
    return neighbours_of<T>(literal.integer);
  }
  const T nearest = literal.text.empty() ? static_cast<T>(literal.real) : nearest_to_digits<T>(literal.text);
  const bool is_finite = std::isfinite(literal.real) || !literal.text.empty();
  if (std::isinf(nearest) && is_finite) {
    return nearest > 0 ? Neighbours<T>{nearest, Limits::max()} : Neighbours<T>{Limits::lowest(), nearest};
  }
  return {nearest, nearest};
}

template <class F>
auto visit_float(DType type, F&& f) {
  return type == DType::f32 ? f(std::type_identity<float>{}) : f(std::type_identity<double>{});
}

ValueRange float_range(DType type, Compare op, const Literal& literal) {
  return visit_float(type, [&]<class T>(std::type_identity<T>) {
    const Neighbours<T> near = neighbours_of<T>(literal);
    const Scalar least = scalar_of(near.above);
    const Scalar greatest = scalar_of(near.below);
    switch (op) {
      case Compare::eq:
        return ValueRange::between(type, least, greatest);
      case Compare::ne:
        return negated(ValueRange::between(type, least, greatest));
      case Compare::lt:
      case Compare::ge:
        return ValueRange::of(type, op, least);
      case Compare::le:
      case Compare::gt:
        break;
    }
    return ValueRange::of(type, op, greatest);
  });
}

std::vector<ValueRange> float_ranges(DType type, std::span<const Literal> literals) {
  std::vector<ValueRange> ranges;
  for (const Literal& literal : literals) {
    if (const ValueRange range = float_range(type, Compare::eq, literal); !is_nothing(type, range)) {
      ranges.push_back(range);
    }
  }
  std::ranges::sort(ranges, {}, &ValueRange::low);
  const auto doubles = std::ranges::unique(ranges, {}, &ValueRange::low);
  ranges.erase(doubles.begin(), doubles.end());
  return ranges;
}

bool spans_all(DType type, const ValueRange& range) {
  return range.span == low_mask<uint64_t>(size_bits(type));
}

}  // namespace

ValueRange range_of(DType type, Compare op, const Place& place) {
  const ValueRange range = to_range(type, interval_of(op, place));
  return op == Compare::ne ? negated(range) : range;
}

ValueRange range_between(DType type, const Place& least, const Place& greatest) {
  return to_range(type, meet(interval_of(Compare::ge, least), interval_of(Compare::le, greatest)));
}

std::vector<ValueRange> ranges_of(DType type, std::span<const Place> places) {
  std::vector<Int128> values;
  for (const Place& place : places) {
    const PlaceInterval held = meet(interval_of(Compare::eq, place), interval_of(type));
    if (held.least <= held.greatest) {
      values.push_back(held.least);
    }
  }
  std::ranges::sort(values);
  std::vector<ValueRange> ranges;
  for (size_t first = 0, last = 0; first < values.size(); first = last + 1) {
    for (last = first; last + 1 < values.size() && values[last + 1] <= values[last] + 1;) {
      ++last;
    }
    ranges.push_back(to_range(type, {values[first], values[last]}));
  }
  return ranges;
}

ValueRange range_of(DType type, Compare op, const Literal& literal) {
  return is_float(type) ? float_range(type, op, literal) : range_of(type, op, place_of(literal));
}

ValueRange range_between(DType type, const Literal& least, const Literal& greatest) {
  if (is_float(type)) {
    return visit_float(type, [&]<class T>(std::type_identity<T>) {
      return ValueRange::between(type, scalar_of(neighbours_of<T>(least).above),
                                 scalar_of(neighbours_of<T>(greatest).below));
    });
  }
  return range_between(type, place_of(least), place_of(greatest));
}

std::vector<ValueRange> ranges_of(DType type, std::span<const Literal> literals) {
  if (is_float(type)) {
    return float_ranges(type, literals);
  }
  std::vector<Place> places;
  std::ranges::transform(literals, std::back_inserter(places),
                         [](const Literal& literal) { return place_of(literal); });
  return ranges_of(type, places);
}

bool is_everything(DType type, const ValueRange& range) {
  return spans_all(type, range) && !range.negated;
}

bool is_nothing(DType type, const ValueRange& range) {
  return spans_all(type, range) && range.negated;
}

}  // namespace bobbin::query
