// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"
#include "tests/codecs/integers.hpp"
#include "tests/codecs/runs.hpp"

namespace bobbin::testing {
namespace {

Input any_sparse_values(Random& random) {
  return random.below(4) == 0 ? any_integers(random) : any_runs(random);
}

const RegisterComponent kSparseComponent({.codec = CodecId::sparse,
                                          .edges = &run_edges,
                                          .generate = &any_sparse_values});

}  // namespace
}  // namespace bobbin::testing
