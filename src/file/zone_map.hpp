// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest value of a column chunk, in the order of the column's type. Among floats, -0.0
// is below +0.0; a chunk with NaN gets the widest range, from -infinity to +infinity, so that no chunk is
// ever skipped because of a value that has no place in the order.
//
// For strings only the first bytes are kept.
#pragma once

#include <string_view>

#include "bobbin/file.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"

namespace bobbin::file {

struct ZoneMap {
  Scalar min;
  Scalar max;

  friend bool operator==(const ZoneMap&, const ZoneMap&) = default;
};

// Zero for both if there are no values.
[[nodiscard]] ZoneMap zone_map_of(const Values& values);

// Whether both are values of the type (zero-extended) other than NaN, and min is not above max.
[[nodiscard]] bool is_sound(const ZoneMap& zone, DType type);

// The least and the greatest of the strings that are not null; empty if all are.
struct StringExtremes {
  std::string_view least{};
  std::string_view greatest{};
};
[[nodiscard]] StringExtremes extremes_of(const StringsView& strings);

// Strings compare byte by byte. Bounds are truncated to 64 bytes, for UTF-8 between characters; the upper one
// is then made larger than every string with the same beginning.
[[nodiscard]] StringZone string_zone_of(const StringsView& strings);
// The same, if `values` are all different values of the strings.
[[nodiscard]] StringZone string_zone_of(const StringsView& strings, const StringsView& values);

// Whether the zone could be that of this many strings.
[[nodiscard]] bool is_sound(const StringZone& zone, uint64_t num_rows);

// Whether any of this many strings can satisfy the test, according to the zone.
[[nodiscard]] bool may_match(const StringZone& zone, uint64_t num_rows, const StringQuery& query);

}  // namespace bobbin::file
