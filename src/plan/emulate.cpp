// SPDX-License-Identifier: Apache-2.0
// Queries in the emulator.
#include "plan/launch.hpp"
#include "simt/emulator.hpp"

namespace bobbin::plan {

Status query_on_emulator(const Query& query, Reach reach, StreamView stream) {
  switch (reach) {
    case Reach::narrow:
      return emulate_query<Reach::narrow>(query, stream);
    case Reach::wide:
      return emulate_query<Reach::wide>(query, stream);
    case Reach::staged:
      break;
  }
  return emulate_query<Reach::staged>(query, stream);
}

Status sum_reals_on_emulator(Global<const double> values, Global<double> sums, StreamView stream) {
  return run_sum_reals(simt::EmulatorExecutor(stream), values, sums);
}

const GatherLaunchers kGatherOnEmulator = GatherPlans<simt::EmulatorExecutor>::launchers();
const CountLaunchers kCountOnEmulator = CountPlans<simt::EmulatorExecutor>::launchers();

}  // namespace bobbin::plan
