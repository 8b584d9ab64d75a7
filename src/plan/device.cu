// SPDX-License-Identifier: Apache-2.0
// Queries on the GPU and in the emulator.
#include "plan/launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {
namespace {

Status sum_reals(Global<const double> values, Global<double> sums, StreamView stream) {
  return run_sum_reals(simt::Executor(stream), values, sums);
}

Status starts(const StartsKernel& kernel, StreamView stream) {
  return simt::Executor(stream).run(kernel,
                                    ceil_div<uint64_t>(kernel.starts.size, uint64_t{StartsKernel::kWarps}));
}

}  // namespace

template <Backend kBackend>
const Launchers& launchers_on() {
  static constexpr Launchers kLaunchers{.query = &query_on<kBackend>,
                                        .sum_reals = &sum_reals,
                                        .gather = GatherPlans<simt::Executor>::launchers(),
                                        .count = CountPlans<simt::Executor>::launchers(),
                                        .starts = &starts};
  return kLaunchers;
}
template const Launchers& launchers_on<simt::kBackend>();

}  // namespace bobbin::plan
