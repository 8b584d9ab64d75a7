// SPDX-License-Identifier: Apache-2.0
#include "plan/cascade_launch.hpp"
#include "simt/emulator.hpp"

namespace bobbin::plan {

Status cascade_on_emulator(const Query& query, uint32_t column, StreamView stream) {
  return run_cascade(simt::EmulatorExecutor(stream), query, column);
}

}  // namespace bobbin::plan
