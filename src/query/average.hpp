// SPDX-License-Identifier: Apache-2.0
// Averages of exact sums.
#pragma once

#include <cstdint>

#include "bobbin/types.hpp"

namespace bobbin::query {

// The double nearest to sum / (count * 10^scale), ties to even; the same on every machine. `count` must not
// be 0, `scale` at most 18.
[[nodiscard]] double average(Int128 sum, uint64_t count, uint32_t scale);

}  // namespace bobbin::query
