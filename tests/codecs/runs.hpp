// SPDX-License-Identifier: Apache-2.0
// Inputs for codecs of few distinct values: in runs, rare, or all equal.
#pragma once

#include <vector>

#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Every type, lengths around vectors and tiles: all values equal.
[[nodiscard]] std::vector<Input> constant_edges();
[[nodiscard]] Input any_constant(Random& random);

// Every type; runs of one length and of many, across vectors and tiles, and single values.
[[nodiscard]] std::vector<Input> run_edges();
[[nodiscard]] Input any_runs(Random& random);

}  // namespace bobbin::testing
