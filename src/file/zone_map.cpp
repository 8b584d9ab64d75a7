// SPDX-License-Identifier: Apache-2.0
#include "file/zone_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/portable.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "file/layout.hpp"
#include "file/nulls.hpp"

namespace bobbin::file {
namespace {

template <class T>
T value_at(const void* data, uint64_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

// A plain loop over integers, which the compiler vectorises. NaN needs no test in it, because its keys are
// beyond those of the infinities.
template <class T>
BOBBIN_INLINE ZoneMap scan(const Values& values) {
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

template <class T>
BOBBIN_AVX2 ZoneMap scan_avx2(const Values& values) {
  return scan<T>(values);
}

// Whether the scalar is a value of the type, zero-extended, that has a place in the type's order.
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

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view cut(std::string_view text, DType type) {
  if (text.size() <= kMaxZoneBytes) {
    return text;
  }
  return text.substr(0, type == DType::utf8 ? character_start(text, kMaxZoneBytes) : kMaxZoneBytes);
}

// A string's first eight bytes as a number, padded with zeros: most strings differ in them.
uint64_t prefix_of(std::string_view text, const char* end) {
  uint64_t word = 0;
  if (end - text.data() >= static_cast<ptrdiff_t>(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    word &= text.size() >= sizeof word ? ~uint64_t{0} : (uint64_t{1} << (8 * text.size())) - 1;
  } else if (!text.empty()) {
    std::memcpy(&word, text.data(), std::min(text.size(), sizeof word));
  }
  return __builtin_bswap64(word);
}

// The smallest and the largest string so far.
class Bounds {
 public:
  explicit Bounds(const char* end) : end_(end) {}

  void add(std::string_view text) {
    const uint64_t prefix = prefix_of(text, end_);
    if (prefix <= least_prefix_ || prefix >= greatest_prefix_) {
      compare(text, prefix);
    }
  }
  [[nodiscard]] std::string_view least() const { return least_; }
  [[nodiscard]] std::string_view greatest() const { return greatest_; }

 private:
  void compare(std::string_view text, uint64_t prefix) {
    if (!any_ || prefix < least_prefix_ || (prefix == least_prefix_ && text < least_)) {
      least_ = text;
      least_prefix_ = prefix;
    }
    if (!any_ || prefix > greatest_prefix_ || (prefix == greatest_prefix_ && text > greatest_)) {
      greatest_ = text;
      greatest_prefix_ = prefix;
    }
    any_ = true;
  }

  const char* end_;  // of all strings
  bool any_ = false;
  uint64_t least_prefix_ = UINT64_MAX;
  uint64_t greatest_prefix_ = 0;
  std::string_view least_;
  std::string_view greatest_;
};

template <class Offset>
Bounds find_bounds(const StringsView& strings) {
  const auto* const offsets = static_cast<const Offset*>(strings.offsets);
  const char* const text = reinterpret_cast<const char*>(strings.bytes);
  Bounds bounds(text + offsets[strings.length]);
  for (uint64_t i = 0; i < strings.length; ++i) {
    if (!strings.is_null(i)) {
      bounds.add({text + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])});
    }
  }
  return bounds;
}

void set_upper_bound(StringZone& zone, std::string_view largest, DType type) {
  std::string bound(cut(largest, type));
  if (bound.size() < largest.size()) {
    bound.erase(bound.find_last_not_of('\xff') + 1);  // becomes empty if there is none
    zone.max_is_open = bound.empty();
    if (!bound.empty()) {
      bound.back() = static_cast<char>(static_cast<uint8_t>(bound.back()) + 1);
    }
  }
  zone.max = std::move(bound);
}

}  // namespace

ZoneMap zone_map_of(const Values& values) {
  return visit_type(values.type, [&]<class T>(std::type_identity<T>) {
    return have_avx2() ? scan_avx2<T>(values) : scan<T>(values);
  });
}

bool is_sound(const ZoneMap& zone, DType type) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    return is_bound<T>(zone.min) && is_bound<T>(zone.max) && !less(type, zone.max, zone.min);
  });
}

StringExtremes extremes_of(const StringsView& strings) {
  const Bounds bounds = strings.wide ? find_bounds<uint64_t>(strings) : find_bounds<uint32_t>(strings);
  return {bounds.least(), bounds.greatest()};
}

StringZone string_zone_of(const StringsView& strings) {
  return string_zone_of(strings, strings);
}

StringZone string_zone_of(const StringsView& strings, const StringsView& values) {
  StringZone zone;
  if (strings.length == 0) {
    return zone;
  }
  const StringExtremes bounds = extremes_of(values);
  zone.num_bytes = strings.num_bytes();
  for_each_null({strings.validity}, strings.length, [&](uint64_t i) {
    ++zone.null_count;
    zone.num_bytes -= strings.size(i);
  });
  zone.min = cut(bounds.least, strings.type);
  set_upper_bound(zone, bounds.greatest, strings.type);
  return zone;
}

bool is_sound(const StringZone& zone, uint64_t num_rows) {
  const bool in_order = zone.max_is_open ? zone.max.empty() : zone.min <= zone.max;
  const bool nothing = zone.min.empty() && zone.max.empty() && !zone.max_is_open && zone.num_bytes == 0;
  return zone.min.size() <= kMaxZoneBytes && zone.max.size() <= kMaxZoneBytes && in_order &&
         zone.null_count <= num_rows && (zone.null_count < num_rows || nothing);
}

bool may_match(const StringZone& zone, uint64_t num_rows, const StringQuery& query) {
  if (zone.null_count == num_rows) {
    return false;
  }
  if (query.test == StringTest::contains) {
    return true;
  }
  const std::string_view wanted = text_of(query.bytes);
  // A string that begins with `wanted` is not below it, and is at or above the lower bound only if its first
  // bytes are not below the bound's.
  const bool above_max = !zone.max_is_open && wanted > zone.max;
  const bool below_min = query.test == StringTest::equals
                             ? wanted < zone.min
                             : std::string_view(zone.min).substr(0, wanted.size()) > wanted;
  return !above_max && !below_min;
}

}  // namespace bobbin::file
