// SPDX-License-Identifier: Apache-2.0
// Queries of one column that a CascadeKernel does.
#pragma once

#include <cstdint>

#include "plan/query.hpp"

namespace bobbin::plan {

enum class Cascade : uint8_t {
  none,
  summed,  // delta over packed residuals, of neighbours
  joined,  // alprd over packed parts, the left ones perhaps with patches
  scaled,  // alp over packed integers, with patches
};
[[nodiscard]] Cascade cascade_of(const Column& column);

}  // namespace bobbin::plan
