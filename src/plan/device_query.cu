// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {

template <Backend kBackend>
Status query_on(const QueryInput& query, StreamView stream) {
  return run_evenly(simt::Executor(stream), QueryKernel{query});
}
template Status query_on<simt::kBackend>(const QueryInput&, StreamView);

}  // namespace bobbin::plan
