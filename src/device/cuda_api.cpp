// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_api.hpp"

#include <mutex>

#include "device/cuda_status.hpp"

namespace bobbin::cuda_api {
namespace {

cudaStream_t as_stream(void* stream) {
  return static_cast<cudaStream_t>(stream);
}
cudaEvent_t as_event(void* event) {
  return static_cast<cudaEvent_t>(event);
}

// Describes a missing or outdated driver in a way that a user can act on.
Status explain(const Status& status) {
  return status.code() == StatusCode::unavailable
             ? Status(status.code(), "no usable GPU (" + status.message() + ")")
             : status;
}

}  // namespace

Result<std::vector<GpuInfo>> list_gpus() {
  int count = 0;
  if (Status status = BOBBIN_CUDA(cudaGetDeviceCount(&count)); !status.ok()) {
    return explain(status);
  }
  BOBBIN_RETURN_IF(count == 0, StatusCode::unavailable, "no usable GPU (the driver lists none)");
  std::vector<GpuInfo> gpus;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    BOBBIN_TRY(BOBBIN_CUDA(cudaGetDeviceProperties(&properties, i)));
    gpus.push_back({.name = properties.name,
                    .compute_major = properties.major,
                    .compute_minor = properties.minor,
                    .num_sms = properties.multiProcessorCount,
                    .memory_bytes = properties.totalGlobalMem,
                    .l2_bytes = static_cast<size_t>(properties.l2CacheSize)});
  }
  return gpus;
}

Result<int> gpu_of(const void* data) {
  cudaPointerAttributes found{};
  BOBBIN_TRY(BOBBIN_CUDA(cudaPointerGetAttributes(&found, data)));
  return found.device;
}

Result<int> current_gpu() {
  int gpu = 0;
  BOBBIN_TRY(BOBBIN_CUDA(cudaGetDevice(&gpu)));
  return gpu;
}

Status use_gpu(int gpu) {
  return BOBBIN_CUDA(cudaSetDevice(gpu));
}

Status gpu_synchronize(int gpu) {
  BOBBIN_ASSIGN(const int before, current_gpu());
  BOBBIN_TRY(use_gpu(gpu));
  const Status done = BOBBIN_CUDA(cudaDeviceSynchronize());
  const Status restored = use_gpu(before);
  return done.ok() ? restored : done;
}

Result<void*> stream_create() {
  cudaStream_t stream = nullptr;
  if (Status status = BOBBIN_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); !status.ok()) {
    return explain(status);
  }
  return static_cast<void*>(stream);
}

// Destroying can fail only with errors that an earlier call has already reported.
void stream_destroy(void* stream) {
  static_cast<void>(cudaStreamDestroy(as_stream(stream)));
}
Status stream_synchronize(void* stream) {
  return BOBBIN_CUDA(cudaStreamSynchronize(as_stream(stream)));
}

Status stream_wait(void* stream, void* event) {
  return BOBBIN_CUDA(cudaStreamWaitEvent(as_stream(stream), as_event(event), 0));
}

Result<void*> event_create() {
  cudaEvent_t event = nullptr;
  if (Status status = BOBBIN_CUDA(cudaEventCreate(&event)); !status.ok()) {
    return explain(status);
  }
  return static_cast<void*>(event);
}

void event_destroy(void* event) {
  static_cast<void>(cudaEventDestroy(as_event(event)));
}
Status event_record(void* event, void* stream) {
  return BOBBIN_CUDA(cudaEventRecord(as_event(event), as_stream(stream)));
}
Status event_synchronize(void* event) {
  return BOBBIN_CUDA(cudaEventSynchronize(as_event(event)));
}

Result<double> event_elapsed_ms(void* start, void* end) {
  float ms = 0;
  BOBBIN_TRY(BOBBIN_CUDA(cudaEventElapsedTime(&ms, as_event(start), as_event(end))));
  return static_cast<double>(ms);
}

namespace {

Result<cudaMemPool_t> make_pool(int device) {
  cudaMemPoolProps what{};
  what.allocType = cudaMemAllocationTypePinned;
  what.location = {cudaMemLocationTypeDevice, device};
  cudaMemPool_t pool = nullptr;
  BOBBIN_TRY(BOBBIN_CUDA(cudaMemPoolCreate(&pool, &what)));
  uint64_t keep = UINT64_MAX;
  BOBBIN_TRY(BOBBIN_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep)));
  return pool;
}

// Each GPU has a pool that keeps freed memory: CUDA's default pool releases it whenever the host waits for a
// stream, and allocating a gigabyte again takes longer than decoding it.
Result<cudaMemPool_t> pool_of_device() {
  constexpr int kMaxDevices = 64;
  static std::mutex mutex;
  static cudaMemPool_t pools[kMaxDevices] = {};
  int device = 0;
  BOBBIN_TRY(BOBBIN_CUDA(cudaGetDevice(&device)));
  BOBBIN_RETURN_IF(device >= kMaxDevices, StatusCode::unsupported, "GPU number above the supported limit");
  const std::lock_guard lock(mutex);
  if (pools[device] == nullptr) {
    BOBBIN_ASSIGN(pools[device], make_pool(device));
  }
  return pools[device];
}

}  // namespace

Result<void*> allocate(size_t bytes, void* stream) {
  void* data = nullptr;
  BOBBIN_ASSIGN(const cudaMemPool_t pool, pool_of_device());
  BOBBIN_TRY(BOBBIN_CUDA(cudaMallocFromPoolAsync(&data, bytes, pool, as_stream(stream))));
  return data;
}

void deallocate(void* data, void* stream) {
  static_cast<void>(cudaFreeAsync(data, as_stream(stream)));
}

Result<void*> allocate_pinned(size_t bytes) {
  void* data = nullptr;
  BOBBIN_TRY(BOBBIN_CUDA(cudaMallocHost(&data, bytes)));
  return data;
}

void deallocate_pinned(void* data) {
  static_cast<void>(cudaFreeHost(data));
}

Status copy(void* to, const void* from, size_t bytes, void* stream) {
  return BOBBIN_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, as_stream(stream)));
}

Status fill(void* to, uint8_t value, size_t bytes, void* stream) {
  return BOBBIN_CUDA(cudaMemsetAsync(to, value, bytes, as_stream(stream)));
}

namespace {

Result<int> attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  BOBBIN_TRY(BOBBIN_CUDA(cudaGetDevice(&device)));
  BOBBIN_TRY(BOBBIN_CUDA(cudaDeviceGetAttribute(&value, which, device)));
  return value;
}

// Without a request, a block gets at most 48 KiB of shared memory.
Status allow_shared(void* kernel, uint32_t bytes) {
  if (bytes <= 48 * 1024) {
    return {};
  }
  return BOBBIN_CUDA(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

}  // namespace

Result<int> compute_capability() {
  const Result<int> major = attribute(cudaDevAttrComputeCapabilityMajor);
  if (!major.has_value()) {
    return explain(major.error());
  }
  BOBBIN_ASSIGN(const int minor, attribute(cudaDevAttrComputeCapabilityMinor));
  return *major * 10 + minor;
}

Result<size_t> most_shared_bytes() {
  BOBBIN_ASSIGN(const int bytes, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return static_cast<size_t>(bytes);
}

Result<uint32_t> num_sms() {
  BOBBIN_ASSIGN(const int sms, attribute(cudaDevAttrMultiProcessorCount));
  return static_cast<uint32_t>(sms);
}

Result<LoadedKernel> kernel_load(const void* code, const char* name) {
  cudaLibrary_t library = nullptr;
  BOBBIN_TRY(BOBBIN_CUDA(cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0)));
  cudaKernel_t kernel = nullptr;
  LoadedKernel loaded;
  size_t offset = 0;
  Status status = BOBBIN_CUDA(cudaLibraryGetKernel(&kernel, library, name));
  loaded.handle = kernel;
  if (status.ok()) {
    status = BOBBIN_CUDA(cudaFuncGetParamInfo(loaded.handle, 0, &offset, &loaded.argument_bytes));
  }
  cudaFuncAttributes attributes{};
  if (status.ok()) {
    status = BOBBIN_CUDA(cudaFuncGetAttributes(&attributes, loaded.handle));
    loaded.registers = static_cast<uint32_t>(attributes.numRegs);
    loaded.local_bytes = static_cast<uint32_t>(attributes.localSizeBytes);
  }
  if (!status.ok()) {
    static_cast<void>(cudaLibraryUnload(library));
    return status;
  }
  return loaded;
}

Status kernel_launch(void* kernel, uint32_t blocks, uint32_t threads, uint32_t shared_bytes,
                     const void* argument, void* stream) {
  BOBBIN_TRY(allow_shared(kernel, shared_bytes));
  void* arguments[] = {const_cast<void*>(argument)};
  return BOBBIN_CUDA(
      cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, shared_bytes, as_stream(stream)));
}

Result<uint32_t> kernel_resident_blocks(void* kernel, uint32_t threads, uint32_t shared_bytes) {
  int each = 0;
  BOBBIN_TRY(allow_shared(kernel, shared_bytes));
  BOBBIN_TRY(BOBBIN_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), shared_bytes)));
  BOBBIN_RETURN_IF(each == 0, StatusCode::unsupported,
                   "a block needs more resources than an SM of this GPU has");
  BOBBIN_ASSIGN(const int sms, attribute(cudaDevAttrMultiProcessorCount));
  return static_cast<uint32_t>(sms * each);
}

}  // namespace bobbin::cuda_api
