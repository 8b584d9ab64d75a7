// SPDX-License-Identifier: Apache-2.0
// The kernels of queries, and how each device back end launches them.
#pragma once

#include <algorithm>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/conjunction_kernel.hpp"
#include "plan/count_kernel.hpp"
#include "plan/gather_kernels.hpp"
#include "plan/query_input.hpp"
#include "plan/query_kernel.hpp"
#include "plan/starts_kernel.hpp"

namespace bobbin::plan {

struct GatherLaunchers {
  Status (*take)(const TakeKernel& kernel, StreamView stream);
  Status (*count)(const CountKernel& kernel, StreamView stream);
  Status (*filter_few)(const FilterKernel<true>& kernel, StreamView stream);
  Status (*filter_many)(const FilterKernel<false>& kernel, StreamView stream);
};

template <class Executor>
struct GatherPlans {
  static Status take(const TakeKernel& kernel, StreamView stream) {
    return Executor(stream).run(kernel, ceil_div<uint64_t>(kernel.indices.size, TakeKernel::kThreads));
  }
  static Status count(const CountKernel& kernel, StreamView stream) {
    return Executor(stream).run(kernel, ceil_div<uint64_t>(kernel.counts.size, CountKernel::kVectors));
  }
  template <bool kFetch>
  static Status filter(const FilterKernel<kFetch>& kernel, StreamView stream) {
    using K = FilterKernel<kFetch>;
    const Executor executor(stream);
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
    const uint64_t blocks = ceil_div<uint64_t>(kernel.starts.size - 1, uint64_t{K::kWarps} * K::kGroup);
    return executor.run(kernel, std::min<uint64_t>(blocks, together));
  }
  static constexpr GatherLaunchers launchers() { return {&take, &count, &filter<true>, &filter<false>}; }
};

struct CountLaunchers {
  template <class Code>
  using Launch = Status (*)(const CountCodesKernel<Code>& kernel, StreamView stream);

  Launch<uint8_t> u8;
  Launch<uint16_t> u16;
  Launch<uint32_t> u32;

  template <class Code>
  [[nodiscard]] constexpr Launch<Code> of() const {
    if constexpr (sizeof(Code) == 1) {
      return u8;
    } else if constexpr (sizeof(Code) == 2) {
      return u16;
    } else {
      return u32;
    }
  }
};

template <class Executor>
struct CountPlans {
  template <class Code>
  static Status count(const CountCodesKernel<Code>& kernel, StreamView stream) {
    using K = CountCodesKernel<Code>;
    const Executor executor(stream);
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
    const uint64_t blocks = ceil_div<uint64_t>(kernel.first + kernel.source.codes.size, K::kThreads);
    return executor.run(kernel, std::min<uint64_t>(blocks, together));
  }
  static constexpr CountLaunchers launchers() {
    return {&count<uint8_t>, &count<uint16_t>, &count<uint32_t>};
  }
};

// If there are few vectors, they are assigned one by one, so that all SMs have work.
template <class K, class Executor>
Status run_in_groups(const Executor& executor, K kernel) {
  const uint64_t vectors = num_vectors(kernel.end);
  BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
  kernel.group =
      static_cast<uint32_t>(std::clamp<uint64_t>(vectors / (uint64_t{together} * K::kWarps), 1, kGroup));
  const uint64_t blocks = ceil_div<uint64_t>(vectors, uint64_t{K::kWarps} * kernel.group);
  return executor.run(kernel, std::min<uint64_t>(blocks, together));
}

// All blocks, or all warps, get the same number of vectors.
template <class K, class Executor>
Status run_evenly(const Executor& executor, const K& kernel) {
  BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
  const uint64_t blocks = ceil_div<uint64_t>(num_vectors(kernel.end), K::kWarps);
  return executor.run(kernel, std::min<uint64_t>(blocks, together));
}

template <KernelVariant kVariant, class Executor>
Status run_query(const Executor& executor, const QueryInput& query) {
  return run_in_groups(executor, QueryKernel<kVariant>{query});
}

template <class T, class Executor>
Status run_conjunction(const Executor& executor, const QueryInput& query) {
  if constexpr (sizeof(T) >= 4) {
    const bool reals = query.num_folds == 1 && query.folds[0].op == Fold::sum &&
                       query.columns[query.folds[0].column].is_float;
    if (reals) {
      return run_evenly(executor, ConjunctionKernel<T, true>{query});
    }
  }
  return run_evenly(executor, ConjunctionKernel<T, false>{query});
}
template <class Executor>
Status run_conjunction(const Executor& executor, const QueryInput& query) {
  switch (query.columns[query.steps[0].column].packed_bytes()) {
    case 1:
      return run_conjunction<uint8_t>(executor, query);
    case 2:
      return run_conjunction<uint16_t>(executor, query);
    case 4:
      return run_conjunction<uint32_t>(executor, query);
    default:
      return run_conjunction<uint64_t>(executor, query);
  }
}

template <class Executor>
Status run_sum_reals(const Executor& executor, Global<const double> values, Global<double> sums) {
  return executor.run(RealSumKernel{values, sums},
                      ceil_div<uint64_t>(sums.size, uint64_t{RealSumKernel::kWarps}));
}

// The query operations of a device back end; all are asynchronous.
struct Launchers {
  Status (*query)(const QueryInput& query, KernelVariant variant, StreamView stream);
  // For queries accepted by as_conjunction() in plan.cpp.
  Status (*conjunction)(const QueryInput& query, StreamView stream);
  // The query has at most one test and at most one sum or count, all of that column, which has no nulls.
  Status (*cascade)(const QueryInput& query, uint32_t column, StreamView stream);
  // One sum per 1024 values.
  Status (*sum_reals)(Global<const double> values, Global<double> sums, StreamView stream);
  GatherLaunchers gather;
  CountLaunchers count;
  Status (*starts)(const StartsKernel& kernel, StreamView stream);
};
template <Backend kBackend>
const Launchers& launchers_on();  // device.cu

// The operations for the stream, or an error if the build does not have its back end.
[[nodiscard]] Result<const Launchers*> launchers_of(StreamView stream);

// Kernels that take long to compile have a file each, device_*.cu.
template <KernelVariant kVariant, Backend kBackend>
Status query_on(const QueryInput& query, StreamView stream);
template <Backend kBackend>
Status conjunction_on(const QueryInput& query, StreamView stream);
template <Backend kBackend>
Status cascade_on(const QueryInput& query, uint32_t column, StreamView stream);

}  // namespace bobbin::plan
