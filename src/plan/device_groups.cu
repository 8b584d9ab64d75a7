// SPDX-License-Identifier: Apache-2.0
#include "plan/fold_codes.hpp"

#include <algorithm>

#include "simt/executor.cuh"

namespace bobbin::plan {

template <Backend kBackend, class Code>
Status fold_codes_on(const FoldCodesKernel<Code>& kernel, StreamView stream) {
  using K = FoldCodesKernel<Code>;
  const simt::Executor executor(stream);
  BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
  const uint64_t blocks = ceil_div<uint64_t>(kernel.first + kernel.source.codes.size, K::kThreads);
  return executor.run(kernel, std::min<uint64_t>(blocks, together));
}
template Status fold_codes_on<simt::kBackend>(const FoldCodesKernel<uint8_t>&, StreamView);
template Status fold_codes_on<simt::kBackend>(const FoldCodesKernel<uint16_t>&, StreamView);
template Status fold_codes_on<simt::kBackend>(const FoldCodesKernel<uint32_t>&, StreamView);

}  // namespace bobbin::plan
