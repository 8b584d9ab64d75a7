// SPDX-License-Identifier: Apache-2.0
// Inputs for codecs of integers.
#pragma once

#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Every type; lengths around lanes and vectors; every width; the type's extremes; constant, sorted, mixed
// signs.
[[nodiscard]] std::vector<Input> integer_edges();
[[nodiscard]] Input any_integers(Random& random);

}  // namespace bobbin::testing
