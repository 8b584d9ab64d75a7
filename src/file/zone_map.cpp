// SPDX-License-Identifier: Apache-2.0
#include "file/zone_map.hpp"

#include <algorithm>
#include <type_traits>

#include "core/bits.hpp"
#include "core/dispatch.hpp"

namespace bobbin::file {
namespace {

template <class T>
Scalar scalar_of(T value) {
  return {static_cast<std::make_unsigned_t<T>>(value)};
}

// A plain loop: the compiler turns it into vector code.
template <class T>
ZoneMap scan(const Values& values) {
  if (values.length == 0) {
    return {};
  }
  const T* data = static_cast<const T*>(values.data);
  T low = data[0];
  T high = data[0];
  for (uint64_t i = 0; i < values.length; ++i) {
    low = std::min(low, data[i]);
    high = std::max(high, data[i]);
  }
  return {scalar_of(low), scalar_of(high)};
}

}  // namespace

ZoneMap zone_map_of(const Values& values) {
  return visit_type(values.type, [&]<class T>(std::type_identity<T>) { return scan<T>(values); });
}

bool is_sound(const ZoneMap& zone, DType type) {
  const uint32_t bits = size_bits(type);
  const uint64_t mask = low_mask<uint64_t>(bits);
  if ((zone.min.bits & ~mask) != 0 || (zone.max.bits & ~mask) != 0) {
    return false;
  }
  // Flipping the sign bit turns the signed order into the unsigned one.
  const uint64_t flip = is_signed(type) ? uint64_t{1} << (bits - 1) : 0;
  return (zone.min.bits ^ flip) <= (zone.max.bits ^ flip);
}

}  // namespace bobbin::file
