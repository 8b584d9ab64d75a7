// SPDX-License-Identifier: Apache-2.0
// Scans of 64-bit values on the GPU.
#include "scan/plans.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::scan {

template Status run_values<uint64_t>(const simt::CudaExecutor&, const Request&);
template Status run_values<double>(const simt::CudaExecutor&, const Request&);

}  // namespace bobbin::scan
