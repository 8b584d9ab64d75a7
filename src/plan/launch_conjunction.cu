// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::plan {

Status conjunction_on_cuda(const Query& query, StreamView stream) {
  return run_conjunction(simt::CudaExecutor(stream), query);
}

}  // namespace bobbin::plan
