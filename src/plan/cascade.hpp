// SPDX-License-Identifier: Apache-2.0
// Queries of one column that a CascadeKernel does.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/query.hpp"

namespace bobbin::plan {

enum class Cascade : uint8_t {
  none,
  summed,  // delta over packed residuals, of neighbours
  joined,  // alprd over packed parts, the left ones perhaps with patches
  scaled,  // alp over packed integers, with patches
};
[[nodiscard]] Cascade cascade_of(const Column& column);

// Asynchronous. The query has one test at most and one sum or count at most, all of that column, which has no
// nulls.
Status cascade_on_emulator(const Query& query, uint32_t column, StreamView stream);
Status cascade_on_cuda(const Query& query, uint32_t column, StreamView stream);

}  // namespace bobbin::plan
