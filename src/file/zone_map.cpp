// SPDX-License-Identifier: Apache-2.0
#include "file/zone_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/scalar.hpp"

namespace bobbin::file {
namespace {

template <class T>
T value_at(const void* data, uint64_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

// A plain loop over integers: the compiler turns it into vector code. NaN needs no test in it, because its
// keys lie beyond those of the infinities.
template <class T>
ZoneMap scan(const Values& values) {
  if (values.length == 0) {
    return {};
  }
  auto low = order_key(value_at<T>(values.data, 0));
  auto high = low;
  for (uint64_t i = 0; i < values.length; ++i) {
    const auto key = order_key(value_at<T>(values.data, i));
    low = std::min(low, key);
    high = std::max(high, key);
  }
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    if (low < order_key(-kInfinity) || high > order_key(kInfinity)) {
      return {scalar_of(-kInfinity), scalar_of(kInfinity)};
    }
  }
  return {scalar_of(value_of_key<T>(low)), scalar_of(value_of_key<T>(high))};
}

// Whether the scalar is a value of the type, zero-extended, that the type's order knows.
template <class T>
bool is_bound(Scalar scalar) {
  const T value = value_of<T>(scalar);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      return false;
    }
  }
  return scalar_of(value) == scalar;
}

}  // namespace

ZoneMap zone_map_of(const Values& values) {
  return visit_type(values.type, [&]<class T>(std::type_identity<T>) { return scan<T>(values); });
}

bool is_sound(const ZoneMap& zone, DType type) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    return is_bound<T>(zone.min) && is_bound<T>(zone.max) && !less(type, zone.max, zone.min);
  });
}

}  // namespace bobbin::file
