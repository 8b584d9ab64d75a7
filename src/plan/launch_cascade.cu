// SPDX-License-Identifier: Apache-2.0
#include "plan/cascade_launch.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::plan {

Status cascade_on_cuda(const Query& query, uint32_t column, StreamView stream) {
  return run_cascade(simt::CudaExecutor(stream), query, column);
}

}  // namespace bobbin::plan
