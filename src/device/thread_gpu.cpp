// SPDX-License-Identifier: Apache-2.0
#include "device/thread_gpu.hpp"

#include "device/cuda_api.hpp"

namespace bobbin {

Result<int> current_gpu(Backend backend) {
  return backend == Backend::cuda ? cuda_api::current_gpu() : Result<int>(0);
}

ThreadGpu::ThreadGpu(Backend backend) {
  if (const auto gpu = current_gpu(backend); backend == Backend::cuda && gpu.has_value()) {
    gpu_ = *gpu;
  }
}

Status ThreadGpu::use() const {
  return gpu_.has_value() ? cuda_api::use_gpu(*gpu_) : Status();
}

}  // namespace bobbin
