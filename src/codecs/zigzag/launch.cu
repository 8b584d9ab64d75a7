// SPDX-License-Identifier: Apache-2.0
// The codec's kernels on the GPU.
#include "codecs/zigzag/kernels.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::codec::zigzag {

const DeviceOps kCuda = Plans<simt::CudaExecutor>::ops();

}  // namespace bobbin::codec::zigzag
