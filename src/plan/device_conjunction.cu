// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {

template <Backend kBackend>
Status conjunction_on(const QueryInput& query, StreamView stream) {
  return run_conjunction(simt::Executor(stream), query);
}
template Status conjunction_on<simt::kBackend>(const QueryInput&, StreamView);

}  // namespace bobbin::plan
