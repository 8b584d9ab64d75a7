// SPDX-License-Identifier: Apache-2.0
// Queries of one column that a CascadeKernel can run.
#pragma once

#include <cstdint>

#include "plan/query_input.hpp"

namespace bobbin::plan {

enum class CascadeKind : uint8_t {
  none,
  summed,  // delta over packed residuals, with stride 1
  joined,  // alprd over packed parts, the left ones possibly with patches
  scaled,  // alp over packed integers, with patches
};
[[nodiscard]] CascadeKind cascade_kind(const ColumnPlan& column);

}  // namespace bobbin::plan
