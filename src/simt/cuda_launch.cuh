// SPDX-License-Identifier: Apache-2.0
// Launches kernels on the GPU.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "bobbin/stream.hpp"
#include "device/cuda_status.hpp"
#include "simt/cta.hpp"
#include "simt/cuda_kernel.cuh"

namespace bobbin::simt {

template <class K>
constexpr size_t shared_bytes() {
  return std::is_same_v<typename K::Shared, NoShared> ? 0 : sizeof(typename K::Shared);
}

// The maximum number of resident blocks per SM, if the kernel specifies it; 0: no limit.
template <class K>
constexpr uint32_t most_blocks() {
  if constexpr (requires { K::kMostBlocks; }) {
    return K::kMostBlocks;
  } else {
    return 0;
  }
}

// Runs launch plans on the GPU. Its counterpart is EmulatorExecutor.
class CudaExecutor {
 public:
  static constexpr Backend kBackend = Backend::cuda;

  explicit CudaExecutor(StreamView stream) : stream_(stream) {}

  [[nodiscard]] StreamView stream() const { return stream_; }

  // Asynchronous.
  template <Kernel K>
  [[nodiscard]] Status run(const K& kernel, uint64_t blocks) const {
    if (blocks == 0) {
      return {};
    }
    BOBBIN_RETURN_IF(blocks > INT32_MAX, StatusCode::unsupported, "too many blocks for one launch");
    BOBBIN_TRY(allow_shared<K>());
    BOBBIN_ASSIGN(const size_t shared, shared_to_ask_for<K>());
    run_kernel<K><<<static_cast<uint32_t>(blocks), K::kThreads, shared, handle()>>>(kernel);
    return BOBBIN_CUDA(cudaGetLastError());
  }

  // Whether an SM has the shared memory of a block.
  template <Kernel K>
  [[nodiscard]] bool fits() const {
    int device = 0;
    int most = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
           shared_bytes<K>() <= static_cast<size_t>(most);
  }

  // The number of resident blocks of a kernel on the GPU.
  template <Kernel K>
  [[nodiscard]] Result<uint32_t> most_together() const {
    static std::atomic<uint32_t> known[kMaxDevices];  // the query takes microseconds
    int device = 0;
    BOBBIN_TRY(BOBBIN_CUDA(cudaGetDevice(&device)));
    if (device < kMaxDevices && known[device] != 0) {
      return known[device].load();
    }
    int sms = 0;
    int each = 0;
    BOBBIN_TRY(allow_shared<K>());
    BOBBIN_TRY(BOBBIN_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)));
    BOBBIN_TRY(BOBBIN_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, run_kernel<K>, K::kThreads, shared_bytes<K>())));
    BOBBIN_RETURN_IF(each == 0, StatusCode::unsupported,
                     "a block needs more resources than an SM of this GPU has");
    if (device < kMaxDevices) {
      known[device] = static_cast<uint32_t>(sms * each);
    }
    return static_cast<uint32_t>(sms * each);
  }

  // Like run, but all blocks are resident at once and may wait for each other; at most most_together().
  template <Kernel K>
  [[nodiscard]] Status run_together(const K& kernel, uint32_t blocks) const {
    BOBBIN_TRY(allow_shared<K>());
    void* arguments[] = {const_cast<K*>(&kernel)};
    return BOBBIN_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&run_kernel<K>), blocks,
                                                   K::kThreads, arguments, shared_bytes<K>(), handle()));
  }

 private:
  static constexpr int kMaxDevices = 64;  // for which the number is cached

  [[nodiscard]] cudaStream_t handle() const { return static_cast<cudaStream_t>(stream_.handle()); }

  // Unused shared memory limits the number of blocks per SM.
  template <Kernel K>
  static Result<size_t> shared_to_ask_for() {
    if constexpr (most_blocks<K>() == 0) {
      return shared_bytes<K>();
    } else {
      constexpr size_t kMost = 48 * 1024;  // without a special request
      constexpr size_t kOfEachBlock = 1024;
      BOBBIN_ASSIGN(const size_t all, shared_of_sm());
      const size_t share = all / most_blocks<K>() / kOfEachBlock * kOfEachBlock - kOfEachBlock;
      return std::max(shared_bytes<K>(), std::min(share, kMost));
    }
  }
  static Result<size_t> shared_of_sm() {
    static std::atomic<int> known[kMaxDevices];
    int device = 0;
    BOBBIN_TRY(BOBBIN_CUDA(cudaGetDevice(&device)));
    int bytes = device < kMaxDevices ? known[device].load() : 0;
    if (bytes == 0) {
      BOBBIN_TRY(
          BOBBIN_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device)));
      if (device < kMaxDevices) {
        known[device] = bytes;
      }
    }
    return static_cast<size_t>(bytes);
  }

  template <Kernel K>
  static Status allow_shared() {
    constexpr size_t kShared = shared_bytes<K>();
    if constexpr (kShared > 48 * 1024) {
      return BOBBIN_CUDA(cudaFuncSetAttribute(run_kernel<K>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(kShared)));
    }
    return {};
  }

  StreamView stream_;
};

}  // namespace bobbin::simt
