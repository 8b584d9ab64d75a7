// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/emulator.hpp"

namespace bobbin::plan {

Status conjunction_on_emulator(const Query& query, StreamView stream) {
  return run_conjunction(simt::EmulatorExecutor(stream), query);
}

}  // namespace bobbin::plan
