// SPDX-License-Identifier: Apache-2.0
// The kernels of queries on each backend.
#pragma once

#include <algorithm>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/gather_kernels.hpp"
#include "plan/query.hpp"
#include "plan/query_kernel.hpp"

namespace bobbin::plan {

// All are asynchronous. The emulator's are in emulate_*.cpp, the GPU's in launch_*.cu, or in no_cuda.cpp in
// builds without CUDA. Each kernel is compiled by itself: that takes minutes.
Status query_on_emulator(const Query& query, Reach reach, StreamView stream);
Status query_on_cuda(const Query& query, Reach reach, StreamView stream);
// One sum for each 1024 values.
Status sum_reals_on_emulator(Global<const double> values, Global<double> sums, StreamView stream);
Status sum_reals_on_cuda(Global<const double> values, Global<double> sums, StreamView stream);

struct GatherLaunchers {
  Status (*take)(const TakeKernel& kernel, StreamView stream);
  Status (*count)(const CountKernel& kernel, StreamView stream);
  Status (*filter_few)(const FilterKernel<true>& kernel, StreamView stream);
  Status (*filter_many)(const FilterKernel<false>& kernel, StreamView stream);
};
extern const GatherLaunchers kGatherOnEmulator;
extern const GatherLaunchers kGatherOnCuda;

template <class Executor>
struct GatherPlans {
  static Status take(const TakeKernel& kernel, StreamView stream) {
    return Executor(stream).run(kernel, ceil_div<uint64_t>(kernel.indices.size, TakeKernel::kThreads));
  }
  static Status count(const CountKernel& kernel, StreamView stream) {
    return Executor(stream).run(kernel, ceil_div<uint64_t>(kernel.counts.size, CountKernel::kWarps));
  }
  template <bool kFetch>
  static Status filter(const FilterKernel<kFetch>& kernel, StreamView stream) {
    return Executor(stream).run(kernel,
                                ceil_div<uint64_t>(kernel.starts.size - 1, FilterKernel<kFetch>::kWarps));
  }
  static constexpr GatherLaunchers launchers() { return {&take, &count, &filter<true>, &filter<false>}; }
};

template <Reach kReach, class Executor>
Status run_query(const Executor& executor, const Query& query) {
  using K = QueryKernel<kReach>;
  const uint64_t vectors = num_vectors(query.end);
  BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
  // Few vectors are dealt out one by one, so that all of the card has work.
  K kernel{query};
  kernel.group =
      static_cast<uint32_t>(std::clamp<uint64_t>(vectors / (uint64_t{together} * K::kWarps), 1, kGroup));
  const uint64_t blocks = ceil_div<uint64_t>(vectors, uint64_t{K::kWarps} * kernel.group);
  return executor.run(kernel, std::min<uint64_t>(blocks, together));
}

template <class Executor>
Status run_sum_reals(const Executor& executor, Global<const double> values, Global<double> sums) {
  return executor.run(RealSumKernel{values, sums},
                      ceil_div<uint64_t>(sums.size, uint64_t{RealSumKernel::kWarps}));
}

// One of the three, for one backend.
template <Reach kReach>
Status emulate_query(const Query& query, StreamView stream);
template <Reach kReach>
Status launch_query(const Query& query, StreamView stream);

}  // namespace bobbin::plan
