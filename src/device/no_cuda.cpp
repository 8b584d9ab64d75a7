// SPDX-License-Identifier: Apache-2.0
// The device layer's CUDA calls in a build without the CUDA toolkit.
#include "device/cuda_api.hpp"

#include "device/backends.hpp"

namespace bobbin::cuda_api {
namespace {

Status no_cuda() {
  return missing_backend(Backend::cuda);
}

}  // namespace

Result<std::vector<GpuInfo>> list_gpus() {
  return no_cuda();
}
Result<int> gpu_of(const void* /*data*/) {
  return no_cuda();
}
Status gpu_synchronize(int /*gpu*/) {
  return no_cuda();
}
Result<int> current_gpu() {
  return no_cuda();
}
Status use_gpu(int /*gpu*/) {
  return no_cuda();
}
Result<void*> stream_create() {
  return no_cuda();
}
void stream_destroy(void* /*stream*/) {}
Status stream_synchronize(void* /*stream*/) {
  return no_cuda();
}
Status stream_wait(void* /*stream*/, void* /*event*/) {
  return no_cuda();
}
Result<void*> event_create() {
  return no_cuda();
}
void event_destroy(void* /*event*/) {}
Status event_record(void* /*event*/, void* /*stream*/) {
  return no_cuda();
}
Status event_synchronize(void* /*event*/) {
  return no_cuda();
}
Result<double> event_elapsed_ms(void* /*start*/, void* /*end*/) {
  return no_cuda();
}
Result<void*> allocate(size_t /*bytes*/, void* /*stream*/) {
  return no_cuda();
}
void deallocate(void* /*data*/, void* /*stream*/) {}
Result<void*> allocate_pinned(size_t /*bytes*/) {
  return no_cuda();
}
void deallocate_pinned(void* /*data*/) {}
Status copy(void* /*to*/, const void* /*from*/, size_t /*bytes*/, void* /*stream*/) {
  return no_cuda();
}
Status fill(void* /*to*/, uint8_t /*value*/, size_t /*bytes*/, void* /*stream*/) {
  return no_cuda();
}
Result<int> compute_capability() {
  return no_cuda();
}
Result<size_t> most_shared_bytes() {
  return no_cuda();
}
Result<uint32_t> num_sms() {
  return no_cuda();
}
Result<LoadedKernel> kernel_load(const void* /*code*/, const char* /*name*/) {
  return no_cuda();
}
Status kernel_launch(void* /*kernel*/, uint32_t /*blocks*/, uint32_t /*threads*/, uint32_t /*shared_bytes*/,
                     const void* /*argument*/, void* /*stream*/) {
  return no_cuda();
}
Result<uint32_t> kernel_resident_blocks(void* /*kernel*/, uint32_t /*threads*/, uint32_t /*shared_bytes*/) {
  return no_cuda();
}

}  // namespace bobbin::cuda_api
