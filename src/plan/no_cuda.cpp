// SPDX-License-Identifier: Apache-2.0
// In builds without CUDA.
#include "plan/cascade.hpp"
#include "plan/launch.hpp"

namespace bobbin::plan {
namespace {

Status no_cuda() {
  return {StatusCode::unavailable, "the cuda backend is not in this build"};
}

}  // namespace

Status query_on_cuda(const Query& /*query*/, Reach /*reach*/, StreamView /*stream*/) {
  return no_cuda();
}
Status conjunction_on_cuda(const Query& /*query*/, StreamView /*stream*/) {
  return no_cuda();
}
Status cascade_on_cuda(const Query& /*query*/, uint32_t /*column*/, StreamView /*stream*/) {
  return no_cuda();
}
Status sum_reals_on_cuda(Global<const double> /*values*/, Global<double> /*sums*/, StreamView /*stream*/) {
  return no_cuda();
}

const GatherLaunchers kGatherOnCuda = {
    [](const TakeKernel&, StreamView) { return no_cuda(); },
    [](const CountKernel&, StreamView) { return no_cuda(); },
    [](const FilterKernel<true>&, StreamView) { return no_cuda(); },
    [](const FilterKernel<false>&, StreamView) { return no_cuda(); },
};
const CountLaunchers kCountOnCuda = {
    [](const CountCodesKernel<uint8_t>&, StreamView) { return no_cuda(); },
    [](const CountCodesKernel<uint16_t>&, StreamView) { return no_cuda(); },
    [](const CountCodesKernel<uint32_t>&, StreamView) { return no_cuda(); },
};

}  // namespace bobbin::plan
