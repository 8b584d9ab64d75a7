// SPDX-License-Identifier: Apache-2.0
// Queries on the GPU and in the emulator.
#include "plan/launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {
namespace {

Status run_any(const QueryInput& query, KernelVariant variant, StreamView stream) {
  switch (variant) {
    case KernelVariant::narrow:
      return query_on<KernelVariant::narrow, simt::kBackend>(query, stream);
    case KernelVariant::wide:
      return query_on<KernelVariant::wide, simt::kBackend>(query, stream);
    case KernelVariant::staged:
      break;
  }
  return query_on<KernelVariant::staged, simt::kBackend>(query, stream);
}

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
  static constexpr Launchers kLaunchers{.query = &run_any,
                                        .conjunction = &conjunction_on<kBackend>,
                                        .cascade = &cascade_on<kBackend>,
                                        .sum_reals = &sum_reals,
                                        .gather = GatherPlans<simt::Executor>::launchers(),
                                        .count = CountPlans<simt::Executor>::launchers(),
                                        .starts = &starts};
  return kLaunchers;
}
template const Launchers& launchers_on<simt::kBackend>();

}  // namespace bobbin::plan
