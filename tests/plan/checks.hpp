// SPDX-License-Identifier: Apache-2.0
// Queries over arrays of any cascade, against the same on decoded values.
#pragma once

#include <string>

#include "bobbin/types.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Draws columns, cuts a slice out of them, draws a filter and aggregates, and runs that on every path there
// is. Empty when all is well.
[[nodiscard]] std::string check_query(Backend backend, Random& random);

}  // namespace bobbin::testing
