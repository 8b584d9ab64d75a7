// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/emulator.hpp"

namespace bobbin::plan {

template <>
Status emulate_query<Reach::staged>(const Query& query, StreamView stream) {
  return run_query<Reach::staged>(simt::EmulatorExecutor(stream), query);
}

}  // namespace bobbin::plan
