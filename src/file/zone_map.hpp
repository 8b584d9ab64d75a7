// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest value of a column chunk, by the order of the column's type.
#pragma once

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

// Whether both are values of the type (zero-extended) and min is not above max.
[[nodiscard]] bool is_sound(const ZoneMap& zone, DType type);

}  // namespace bobbin::file
