// SPDX-License-Identifier: Apache-2.0
// Inputs for codecs of floats.
#pragma once

#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Those of integer_edges() that are floats; decimal numbers of any number of digits, with exceptions and
// without.
[[nodiscard]] std::vector<Input> float_edges();
// Decimal numbers, now and then anything.
[[nodiscard]] Input any_floats(Random& random);

}  // namespace bobbin::testing
