// SPDX-License-Identifier: Apache-2.0
#include "bobbin/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "device/cuda_api.hpp"

namespace bobbin {
namespace {

class CudaMemory final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes, StreamView stream) override {
    return cuda_api::allocate(bytes, stream.handle());
  }
  void deallocate(void* data, size_t /*bytes*/, StreamView stream) noexcept override {
    cuda_api::deallocate(data, stream.handle());
  }
};

constexpr size_t kGuardBytes = 256;
constexpr std::byte kGuard{0xA5};
constexpr std::byte kFresh{0xCD};  // fresh memory is filled with this: not zero, so that tests notice

// Each allocation is placed between two guards, so that a stray write is detected even without a sanitizer;
// under AddressSanitizer the heap's own red zones also detect stray reads.
class EmulatorMemory final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes, StreamView /*stream*/) override {
    auto* base = static_cast<std::byte*>(
        ::operator new(bytes + 2 * kGuardBytes, std::align_val_t{kGuardBytes}, std::nothrow));
    BOBBIN_RETURN_IF(base == nullptr, StatusCode::out_of_memory,
                     "cannot allocate " + std::to_string(bytes) + " bytes");
    std::fill_n(base, kGuardBytes, kGuard);
    std::fill_n(base + kGuardBytes, bytes, kFresh);
    std::fill_n(base + kGuardBytes + bytes, kGuardBytes, kGuard);
    return static_cast<void*>(base + kGuardBytes);
  }

  void deallocate(void* data, size_t bytes, StreamView /*stream*/) noexcept override {
    auto* base = static_cast<std::byte*>(data) - kGuardBytes;
    check_guard(base, "before", bytes);
    check_guard(base + kGuardBytes + bytes, "after", bytes);
    ::operator delete(base, std::align_val_t{kGuardBytes}, std::nothrow);
  }

 private:
  static void check_guard(const std::byte* guard, const char* side, size_t bytes) {
    if (!std::all_of(guard, guard + kGuardBytes, [](std::byte b) { return b == kGuard; })) {
      std::fprintf(stderr, "bobbin emulator: a kernel wrote %s a buffer of %zu bytes\n", side, bytes);
      std::abort();
    }
  }
};

}  // namespace

MemoryResource& default_memory(Backend backend) {
  static CudaMemory cuda;
  static EmulatorMemory emulator;
  if (backend == Backend::cuda) {
    return cuda;
  }
  return emulator;
}

Result<DeviceBuffer> DeviceBuffer::create(size_t bytes, StreamView stream, MemoryResource& memory) {
  void* data = nullptr;
  if (bytes != 0) {
    BOBBIN_ASSIGN(data, memory.allocate(bytes, stream));
  }
  return DeviceBuffer(data, bytes, stream, &memory);
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(stream_, other.stream_);
  std::swap(memory_, other.memory_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) {
    memory_->deallocate(data_, size_, stream_);
  }
}

Result<PinnedBuffer> PinnedBuffer::create(size_t bytes, Backend backend) {
  void* data = nullptr;
  if (bytes != 0 && backend == Backend::cuda) {
    BOBBIN_ASSIGN(data, cuda_api::allocate_pinned(bytes));
  } else if (bytes != 0) {
    data = std::malloc(bytes);
    BOBBIN_RETURN_IF(data == nullptr, StatusCode::out_of_memory,
                     "cannot allocate " + std::to_string(bytes) + " bytes");
  }
  return PinnedBuffer(data, bytes, backend);
}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(backend_, other.backend_);
  return *this;
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ == nullptr) {
    return;
  }
  if (backend_ == Backend::cuda) {
    cuda_api::deallocate_pinned(data_);
  } else {
    std::free(data_);
  }
}

Status copy_async(void* to, const void* from, size_t bytes, StreamView stream) {
  if (bytes == 0) {
    return {};
  }
  if (stream.backend() == Backend::cuda) {
    return cuda_api::copy(to, from, bytes, stream.handle());
  }
  std::memcpy(to, from, bytes);
  return {};
}

Status fill_async(void* to, uint8_t value, size_t bytes, StreamView stream) {
  if (bytes == 0) {
    return {};
  }
  if (stream.backend() == Backend::cuda) {
    return cuda_api::fill(to, value, bytes, stream.handle());
  }
  std::memset(to, value, bytes);
  return {};
}

}  // namespace bobbin
