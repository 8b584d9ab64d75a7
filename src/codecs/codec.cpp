// SPDX-License-Identifier: Apache-2.0
#include "codecs/codec.hpp"

#include <cmath>
#include <limits>

#include "core/bits.hpp"
#include "core/scalar.hpp"

namespace bobbin {
namespace {

template <class T>
constexpr T least_of() {
  return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T greatest_of() {
  return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}

// The next value up or down, for a value that is not the last. Skips the other zero, since both zeros are
// equal.
template <class T>
T next_above(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(value, std::numeric_limits<T>::infinity());
  } else {
    return static_cast<T>(value + 1);
  }
}
template <class T>
T next_below(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(value, -std::numeric_limits<T>::infinity());
  } else {
    return static_cast<T>(value - 1);
  }
}

}  // namespace

NewBuffer make_buffer(size_t size) {
  auto owner = std::make_shared_for_overwrite<std::byte[]>(size);
  std::byte* data = owner.get();
  return {.buffer = {std::move(owner), {data, size}}, .data = data};
}

ValueRange ValueRange::none(DType type) {
  ValueRange range = all(type);
  range.negated = true;
  return range;
}

// From the least key to the greatest; keys of floats have a sign.
ValueRange ValueRange::all(DType type) {
  const uint64_t mask = low_mask<uint64_t>(size_bits(type));
  return {.low = is_float(type) ? mask - mask / 2 : 0, .span = mask, .negated = false};
}

ValueRange ValueRange::between(DType type, Scalar least, Scalar greatest) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    T from = value_of<T>(least);
    T to = value_of<T>(greatest);
    if (!(from <= to)) {  // NaN too
      return none(type);
    }
    if constexpr (std::is_floating_point_v<T>) {
      from = from == 0 ? -T{0} : from;
      to = to == 0 ? T{0} : to;
    }
    const auto first = range_key<T>(scalar_of(from).bits);
    const auto last = range_key<T>(scalar_of(to).bits);
    return ValueRange{.low = first, .span = static_cast<BitsOf<T>>(last - first), .negated = false};
  });
}

ValueRange ValueRange::of(DType type, Compare op, Scalar constant) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    const T c = value_of<T>(constant);
    const Scalar least = scalar_of(least_of<T>());
    const Scalar greatest = scalar_of(greatest_of<T>());
    const auto unless = [&](ValueRange range) {
      range.negated = !range.negated;
      return range;
    };
    // For integers each half is the complement of the other; for floats NaN is in neither half.
    switch (op) {
      case Compare::eq:
        return between(type, constant, constant);
      case Compare::ne:
        return unless(between(type, constant, constant));
      case Compare::le:
        return between(type, least, constant);
      case Compare::ge:
        return between(type, constant, greatest);
      case Compare::lt:
        return c == c && c > least_of<T>() ? between(type, least, scalar_of(next_below(c))) : none(type);
      case Compare::gt:
        return c == c && c < greatest_of<T>() ? between(type, scalar_of(next_above(c)), greatest)
                                              : none(type);
    }
    return none(type);
  });
}

bool ValueRange::holds(DType type, Scalar value) const {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    using Bits = BitsOf<T>;
    const auto from_low = static_cast<Bits>(range_key<T>(value.bits) - static_cast<Bits>(low));
    return (from_low <= static_cast<Bits>(span)) != negated;
  });
}

}  // namespace bobbin
