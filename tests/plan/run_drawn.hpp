// SPDX-License-Identifier: Apache-2.0
// What the files of drawn kernels include.
#pragma once

#include <algorithm>

#include "plan/compose.hpp"
#include "plan/stages/composition.hpp"
#include "simt/emulator.hpp"
#include "tests/plan/drawn_kernels.hpp"

namespace bobbin::testing {

template <class Kernel>
Status run_drawn(const plan::QueryInput& query, StreamView stream) {
  Kernel kernel;
  static_cast<plan::QueryInput&>(kernel) = query;
  const simt::EmulatorExecutor executor(stream);
  BOBBIN_ASSIGN(const uint32_t together, executor.most_together<Kernel>());
  const uint64_t blocks = ceil_div<uint64_t>(num_vectors(query.end), Kernel::kWarps);
  return executor.run(kernel, std::min<uint64_t>(blocks, together));
}

}  // namespace bobbin::testing
