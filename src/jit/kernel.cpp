// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

#include "device/cuda_api.hpp"
#include "jit/compiler.hpp"

namespace bobbin::jit {

// The loaded kernels of this process. CUDA loads a library on each GPU when that first launches from it, so
// GPUs of one architecture share an entry.
class Kernels {
 public:
  static Kernels& of_process() {
    static auto* const kernels = new Kernels;  // never destroyed: CUDA may be gone when the process ends
    return *kernels;
  }

  [[nodiscard]] Result<const Kernel*> load(const Cubin& cubin) {
    const std::lock_guard lock(mutex_);
    Loaded& loaded = loaded_[cubin.get()];
    if (loaded.kernel == nullptr) {
      BOBBIN_ASSIGN(const cuda_api::LoadedKernel found, cuda_api::kernel_load(cubin->data(), kEntryPoint));
      loaded = {cubin, std::unique_ptr<Kernel>(new Kernel(found))};
    }
    return loaded.kernel.get();
  }

 private:
  struct Loaded {
    Cubin cubin;  // CUDA may read it when another GPU first uses it
    std::unique_ptr<Kernel> kernel;
  };

  std::mutex mutex_;
  std::map<const void*, Loaded> loaded_;
};

Status Kernel::launch(const LaunchShape& shape, const void* arguments, size_t bytes,
                      StreamView stream) const {
  if (shape.blocks == 0) {
    return {};
  }
  BOBBIN_RETURN_IF(stream.backend() != Backend::cuda, StatusCode::invalid_argument,
                   "compiled kernels run on streams of the cuda backend only");
  BOBBIN_RETURN_IF(shape.blocks > INT32_MAX, StatusCode::unsupported, "too many blocks for one launch");
  BOBBIN_RETURN_IF(bytes != loaded_.argument_bytes, StatusCode::invalid_argument,
                   fmt::format("the kernel's arguments have {} bytes on the GPU, {} on the host",
                               loaded_.argument_bytes, bytes));
  return cuda_api::kernel_launch(loaded_.handle, static_cast<uint32_t>(shape.blocks), shape.threads,
                                 shape.shared_bytes, arguments, stream.handle());
}

Result<uint32_t> Kernel::resident_blocks(const LaunchShape& shape) const {
  return cuda_api::kernel_resident_blocks(loaded_.handle, shape.threads, shape.shared_bytes);
}

Result<const Kernel*> get_kernel(Cache& cache, std::string_view source) {
  BOBBIN_ASSIGN(const int sm, cuda_api::compute_capability());
  BOBBIN_ASSIGN(const Cubin cubin, cache.get(source, sm));
  return Kernels::of_process().load(cubin);
}

namespace {

Result<const Kernel*> load_if_there(const Result<Cubin>& cubin) {
  BOBBIN_TRY(cubin.error());
  return *cubin == nullptr ? static_cast<const Kernel*>(nullptr) : Kernels::of_process().load(*cubin);
}

}  // namespace

Result<const Kernel*> request_kernel(Cache& cache, std::string_view source) {
  BOBBIN_ASSIGN(const int sm, cuda_api::compute_capability());
  return load_if_there(cache.request(source, sm));
}

Result<const Kernel*> find_kernel(Cache& cache, std::string_view source) {
  BOBBIN_ASSIGN(const int sm, cuda_api::compute_capability());
  return load_if_there(cache.find(source, sm));
}

}  // namespace bobbin::jit
