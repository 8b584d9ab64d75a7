// SPDX-License-Identifier: Apache-2.0
// The few CUDA runtime calls that the device layer needs, with errors as Status. Implemented by cuda_api.cpp
// in builds with the CUDA toolkit, otherwise by no_cuda.cpp, where every call returns `unavailable`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin::cuda_api {

[[nodiscard]] Result<std::vector<GpuInfo>> list_gpus();

[[nodiscard]] Result<int> gpu_of(const void* data);
[[nodiscard]] Status gpu_synchronize(int gpu);
// The one that this thread uses.
[[nodiscard]] Result<int> current_gpu();
[[nodiscard]] Status use_gpu(int gpu);

[[nodiscard]] Result<void*> stream_create();
void stream_destroy(void* stream);
[[nodiscard]] Status stream_synchronize(void* stream);
[[nodiscard]] Status stream_wait(void* stream, void* event);

[[nodiscard]] Result<void*> event_create();
void event_destroy(void* event);
[[nodiscard]] Status event_record(void* event, void* stream);
[[nodiscard]] Status event_synchronize(void* event);
[[nodiscard]] Result<double> event_elapsed_ms(void* start, void* end);

[[nodiscard]] Result<void*> allocate(size_t bytes, void* stream);
void deallocate(void* data, void* stream);
[[nodiscard]] Result<void*> allocate_pinned(size_t bytes);
void deallocate_pinned(void* data);

[[nodiscard]] Status copy(void* to, const void* from, size_t bytes, void* stream);
[[nodiscard]] Status fill(void* to, uint8_t value, size_t bytes, void* stream);

// The current GPU's compute capability times ten: 90 for 9.0.
[[nodiscard]] Result<int> compute_capability();

// Bytes of shared memory that a block may have on the current GPU, and its number of SMs.
[[nodiscard]] Result<size_t> most_shared_bytes();
[[nodiscard]] Result<uint32_t> num_sms();

// A kernel of one parameter, from machine code in memory that must stay there. It is never unloaded.
struct LoadedKernel {
  void* handle = nullptr;
  size_t argument_bytes = 0;
  uint32_t registers = 0;    // per thread
  uint32_t local_bytes = 0;  // the same: memory for registers that do not fit
};
[[nodiscard]] Result<LoadedKernel> kernel_load(const void* code, const char* name);
[[nodiscard]] Status kernel_launch(void* kernel, uint32_t blocks, uint32_t threads, uint32_t shared_bytes,
                                   const void* argument, void* stream);
[[nodiscard]] Result<uint32_t> kernel_resident_blocks(void* kernel, uint32_t threads, uint32_t shared_bytes);

}  // namespace bobbin::cuda_api
