// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"
#include "tests/codecs/integers.hpp"
#include "tests/codecs/runs.hpp"

namespace bobbin::testing {
namespace {

Input any_rle_values(Random& random) {
  return random.below(4) == 0 ? any_integers(random) : any_runs(random);
}

const RegisterComponent kRleComponent({.codec = CodecId::rle,
                                       .edges = &run_edges,
                                       .generate = &any_rle_values});

}  // namespace
}  // namespace bobbin::testing
