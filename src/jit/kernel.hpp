// SPDX-License-Identifier: Apache-2.0
// Kernels compiled at run time, loaded on GPUs and launched. Without CUDA in the build, every call returns
// `unavailable`.
//
// Threads: any number may use the functions and a Kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "device/cuda_api.hpp"
#include "jit/cache.hpp"

namespace bobbin::jit {

struct LaunchShape {
  uint64_t blocks = 0;
  uint32_t threads = 0;       // per block: the kernel's kThreads
  uint32_t shared_bytes = 0;  // of the kernel's Shared
};

class Kernel {
 public:
  // Asynchronous. `arguments` is the kernel struct, of which `bytes` are copied; another size than the kernel
  // was compiled with is `invalid_argument`. Nothing happens if there are no blocks.
  [[nodiscard]] Status launch(const LaunchShape& shape, const void* arguments, size_t bytes,
                              StreamView stream) const;
  // The same for a kernel struct that the host knows as well.
  template <class Arguments>
  [[nodiscard]] Status launch(const LaunchShape& shape, const Arguments& arguments, StreamView stream) const {
    return launch(shape, &arguments, sizeof arguments, stream);
  }

  // How many blocks of this shape the current GPU runs at once; shape.blocks does not matter.
  [[nodiscard]] Result<uint32_t> resident_blocks(const LaunchShape& shape) const;
  // Per thread: registers, and bytes of memory for what does not fit into them.
  [[nodiscard]] uint32_t registers() const { return loaded_.registers; }
  [[nodiscard]] uint32_t local_bytes() const { return loaded_.local_bytes; }

 private:
  friend class Kernels;
  explicit Kernel(const cuda_api::LoadedKernel& loaded) : loaded_(loaded) {}

  cuda_api::LoadedKernel loaded_;
};

// The kernel of a source on the current GPU, loaded once and kept until the process ends. Waits for the
// compiler if need be.
[[nodiscard]] Result<const Kernel*> get_kernel(Cache& cache, std::string_view source);
// The same without waiting: null if the kernel is not ready yet (Cache::request).
[[nodiscard]] Result<const Kernel*> request_kernel(Cache& cache, std::string_view source);
// The same without compiling (Cache::find).
[[nodiscard]] Result<const Kernel*> find_kernel(Cache& cache, std::string_view source);

}  // namespace bobbin::jit
