// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest value of a column chunk, by the order of the column's type. Among floats -0.0
// is below +0.0; a chunk with NaN gets the widest range, from -infinity to +infinity, so that whoever
// skips chunks by their range never skips one for a value that has no place in it.
//
// Of strings only the first bytes are kept.
#pragma once

#include "bobbin/file.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"

namespace bobbin::file {

struct ZoneMap {
  Scalar min;
  Scalar max;

  friend bool operator==(const ZoneMap&, const ZoneMap&) = default;
};

// Zero for both when there are no values.
[[nodiscard]] ZoneMap zone_map_of(const Values& values);

// Whether both are values of the type (zero-extended) but not NaN, and min is not above max.
[[nodiscard]] bool is_sound(const ZoneMap& zone, DType type);

// Strings compare byte by byte. Bounds are cut to 64 bytes, in UTF-8 between characters; the upper one is
// then made larger than every string with the same beginning.
[[nodiscard]] StringZone string_zone_of(const StringsView& strings);

// Whether the zone could be that of so many strings.
[[nodiscard]] bool is_sound(const StringZone& zone, uint64_t num_rows);

// Whether any of so many strings can pass the test, as far as the zone tells.
[[nodiscard]] bool may_match(const StringZone& zone, uint64_t num_rows, const StringQuery& query);

}  // namespace bobbin::file
