// SPDX-License-Identifier: Apache-2.0
// The codec's kernels on the GPU.
#include "codecs/dict/kernels.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::codec::dict {
namespace {

using DevicePlans = Plans<simt::CudaExecutor>;
constexpr StringDeviceOps kStringOps = DevicePlans::string_ops();

}  // namespace

const DeviceOps kCuda = DevicePlans::ops(&kStringOps);

}  // namespace bobbin::codec::dict
