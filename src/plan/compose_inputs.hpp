// SPDX-License-Identifier: Apache-2.0
// How a composed kernel gets the values of columns that expressions need. All columns of an expression have
// one layout, and are all packed or all made by stages (stages/computed.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plan/compose.hpp"
#include "plan/compose_stages.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// Columns as masks.
struct InputColumns {
  uint32_t used = 0;  // by expressions
  uint32_t made = 0;  // by stages
  WantedRows rows{};  // of those
};

// `packable`: columns whose packed integers are their values, without their reference. Empty if a column has
// no stages.
[[nodiscard]] std::optional<InputColumns> choose_inputs(const QueryInput& query, const KnownWidths& widths,
                                                        const Formulas& formulas, uint32_t packable);

// As a mask.
[[nodiscard]] uint32_t columns_of(const Expression& expression);

}  // namespace bobbin::plan
