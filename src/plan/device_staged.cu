// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {

template <KernelVariant kVariant, Backend kBackend>
Status query_on(const QueryInput& query, StreamView stream) {
  return run_query<kVariant>(simt::Executor(stream), query);
}
template Status query_on<KernelVariant::staged, simt::kBackend>(const QueryInput&, StreamView);

}  // namespace bobbin::plan
