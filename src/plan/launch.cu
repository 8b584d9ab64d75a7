// SPDX-License-Identifier: Apache-2.0
// Queries on the GPU.
#include "plan/launch.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::plan {

Status query_on_cuda(const Query& query, Reach reach, StreamView stream) {
  switch (reach) {
    case Reach::narrow:
      return launch_query<Reach::narrow>(query, stream);
    case Reach::wide:
      return launch_query<Reach::wide>(query, stream);
    case Reach::staged:
      break;
  }
  return launch_query<Reach::staged>(query, stream);
}

Status sum_reals_on_cuda(Global<const double> values, Global<double> sums, StreamView stream) {
  return run_sum_reals(simt::CudaExecutor(stream), values, sums);
}

const GatherLaunchers kGatherOnCuda = GatherPlans<simt::CudaExecutor>::launchers();
const CountLaunchers kCountOnCuda = CountPlans<simt::CudaExecutor>::launchers();

}  // namespace bobbin::plan
