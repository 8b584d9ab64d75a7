// SPDX-License-Identifier: Apache-2.0
#include "plan/cascade_launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {

template <Backend kBackend>
Status cascade_on(const QueryInput& query, uint32_t column, StreamView stream) {
  return run_cascade(simt::Executor(stream), query, column);
}
template Status cascade_on<simt::kBackend>(const QueryInput&, uint32_t, StreamView);

}  // namespace bobbin::plan
