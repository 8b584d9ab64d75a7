// SPDX-License-Identifier: Apache-2.0
// The kernels of queries, and how each device back end launches them.
#pragma once

#include <algorithm>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
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

// As many blocks as run at once.
template <class K, class Executor>
Status run_evenly(const Executor& executor, const K& kernel) {
  BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
  const uint64_t blocks = ceil_div<uint64_t>(num_vectors(kernel.end), K::kWarps);
  return executor.run(kernel, std::min<uint64_t>(blocks, together));
}

template <class Executor>
Status run_sum_reals(const Executor& executor, Global<const double> values, Global<double> sums) {
  return executor.run(RealSumKernel{values, sums},
                      ceil_div<uint64_t>(sums.size, uint64_t{RealSumKernel::kWarps}));
}

// The query operations of a device back end; all are asynchronous.
struct Launchers {
  Status (*query)(const QueryInput& query, StreamView stream);
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
template <Backend kBackend>
Status query_on(const QueryInput& query, StreamView stream);

}  // namespace bobbin::plan
