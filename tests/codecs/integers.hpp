// SPDX-License-Identifier: Apache-2.0
// Inputs for codecs of integers; floats are bit patterns to them.
#pragma once

#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Every type; lengths around lanes and vectors; every width; the type's extremes; constant, sorted, mixed
// signs; of floats also zeros, denormals, infinities and NaN.
[[nodiscard]] std::vector<Input> integer_edges();
[[nodiscard]] Input any_integers(Random& random);

}  // namespace bobbin::testing
