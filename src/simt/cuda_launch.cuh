// SPDX-License-Identifier: Apache-2.0
// Launches kernels on the GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "device/cuda_status.hpp"
#include "device/stream.hpp"
#include "simt/cta.hpp"
#include "simt/cuda_cta.cuh"

namespace bobbin::simt {

// Blocks an SM should hold, when the kernel says: it bounds the registers.
template <class K>
constexpr uint32_t min_blocks() {
  if constexpr (requires { K::kMinBlocks; }) {
    return K::kMinBlocks;
  } else {
    return 1;
  }
}

template <class K>
constexpr size_t shared_bytes() {
  return std::is_same_v<typename K::Shared, NoShared> ? 0 : sizeof(typename K::Shared);
}

template <class K>
__global__ void __launch_bounds__(K::kThreads, min_blocks<K>()) run_kernel(const __grid_constant__ K kernel) {
  CudaCta cta;
  kernel(cta);
}

// Runs launch plans on the GPU. Its twin is EmulatorExecutor.
class CudaExecutor {
 public:
  explicit CudaExecutor(StreamView stream) : stream_(stream) {}

  [[nodiscard]] StreamView stream() const { return stream_; }

  // Asynchronous.
  template <Kernel K>
  [[nodiscard]] Status run(const K& kernel, uint64_t blocks) const {
    if (blocks == 0) {
      return {};
    }
    BOBBIN_RETURN_IF(blocks > INT32_MAX, StatusCode::unsupported, "more blocks than one launch holds");
    constexpr size_t kShared = shared_bytes<K>();
    if constexpr (kShared > 48 * 1024) {
      BOBBIN_TRY(BOBBIN_CUDA(cudaFuncSetAttribute(run_kernel<K>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  static_cast<int>(kShared))));
    }
    run_kernel<K><<<static_cast<uint32_t>(blocks), K::kThreads, kShared,
                    static_cast<cudaStream_t>(stream_.handle())>>>(kernel);
    return BOBBIN_CUDA(cudaGetLastError());
  }

 private:
  StreamView stream_;
};

}  // namespace bobbin::simt
