// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::plan {

template <>
Status launch_query<Reach::staged>(const Query& query, StreamView stream) {
  return run_query<Reach::staged>(simt::CudaExecutor(stream), query);
}

}  // namespace bobbin::plan
