// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::plan {

template <>
Status launch_query<Reach::wide>(const Query& query, StreamView stream) {
  return run_query<Reach::wide>(simt::CudaExecutor(stream), query);
}

}  // namespace bobbin::plan
