// SPDX-License-Identifier: Apache-2.0
// What a composed kernel should be specialised to.
#pragma once

#include <span>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/compose.hpp"
#include "plan/plan.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// The most frequent widths of packed vectors, from the entries of some of them; the entries of dictionaries;
// with groups, the bits of values.
[[nodiscard]] Result<KnownWidths> sample_widths(std::span<const Source> columns, const QueryInput& query,
                                                const Pieces& pieces, StreamView stream);

}  // namespace bobbin::plan
