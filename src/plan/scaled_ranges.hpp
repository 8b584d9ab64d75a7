// SPDX-License-Identifier: Apache-2.0
// Converts a range of floats to ranges of ALP's integers.
#pragma once

#include <cstdint>

#include "codecs/alp/alp.hpp"
#include "codecs/codec.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// For a scale, and a range that is not negated.
[[nodiscard]] ScaledRange scaled_range(DType type, const ValueRange& range, codec::alp::Scale scale);

}  // namespace bobbin::plan
