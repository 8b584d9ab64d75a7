// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/emulator.hpp"

namespace bobbin::plan {

template <>
Status emulate_query<Reach::wide>(const Query& query, StreamView stream) {
  return run_query<Reach::wide>(simt::EmulatorExecutor(stream), query);
}

}  // namespace bobbin::plan
