// SPDX-License-Identifier: Apache-2.0
// Inputs for codecs of floats.
#pragma once

#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// The float cases of integer_edges(); decimal numbers with any number of digits, with and without exceptions.
[[nodiscard]] std::vector<Input> float_edges();
// Decimal numbers, with occasional arbitrary values.
[[nodiscard]] Input any_floats(Random& random);

}  // namespace bobbin::testing
