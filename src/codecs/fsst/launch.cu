// SPDX-License-Identifier: Apache-2.0
// The codec's kernels on the GPU.
#include "codecs/fsst/kernels.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::codec::fsst {
namespace {

constexpr StringDeviceOps kStringOps = Plans<simt::CudaExecutor>::string_ops();

}  // namespace

const DeviceOps kCuda{.strings = &kStringOps};

}  // namespace bobbin::codec::fsst
