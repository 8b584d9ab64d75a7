// SPDX-License-Identifier: Apache-2.0
// Ranges of floats: how they are tested.
#pragma once

#include <cstdint>

#include "codecs/alp/alp.hpp"
#include "codecs/codec.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// As a range of ALP's integers, for a scale; the range is not negated.
[[nodiscard]] ScaledRange scaled_range(DType type, const ValueRange& range, codec::alp::Scale scale);

// Whether floats of this many bytes can be compared with the range's ends as floats.
[[nodiscard]] bool compares_as_reals(const KeyRange& range, uint32_t bytes);

}  // namespace bobbin::plan
