// SPDX-License-Identifier: Apache-2.0
// Owned device memory. Allocation and release are ordered in a stream.
//
// Threads: default_memory(), and any MemoryResource that you pass to Bobbin, may be called from several
// threads at the same time. A buffer object is used by one thread at a time; its memory is ordered by
// streams.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// A source of device memory. Implement it to let Bobbin use an engine's own pool.
class BOBBIN_API MemoryResource {
 public:
  virtual ~MemoryResource() = default;
  // At least 256-byte aligned. The memory may be used by work submitted to `stream` from now on.
  [[nodiscard]] virtual Result<void*> allocate(size_t bytes, StreamView stream) = 0;
  // The memory is free once the work submitted to `stream` so far is done.
  virtual void deallocate(void* data, size_t bytes, StreamView stream) noexcept = 0;
};

// The backend's default: CUDA's stream-ordered pool, or for the emulator host memory with guard bytes on both
// sides (a damaged guard ends the process with a message when the memory is released).
[[nodiscard]] BOBBIN_API MemoryResource& default_memory(Backend backend);

class BOBBIN_API DeviceBuffer {
 public:
  static Result<DeviceBuffer> create(size_t bytes, StreamView stream, MemoryResource& memory);
  static Result<DeviceBuffer> create(size_t bytes, StreamView stream) {
    return create(bytes, stream, default_memory(stream.backend()));
  }

  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        stream_(other.stream_),
        memory_(other.memory_) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  DeviceBuffer(void* data, size_t size, StreamView stream, MemoryResource* memory)
      : data_(data), size_(size), stream_(stream), memory_(memory) {}

  void* data_;
  size_t size_;
  StreamView stream_;
  MemoryResource* memory_;
};

// Pinned host memory, which the GPU copies to and from at full speed.
class BOBBIN_API PinnedBuffer {
 public:
  static Result<PinnedBuffer> create(size_t bytes, Backend backend);

  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        backend_(other.backend_) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;
  ~PinnedBuffer();

  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), size_}; }

 private:
  PinnedBuffer(void* data, size_t size, Backend backend) : data_(data), size_(size), backend_(backend) {}

  void* data_;
  size_t size_;
  Backend backend_;
};

// Copies in stream order; the direction follows from the addresses. With memory that is not pinned the call
// blocks.
[[nodiscard]] BOBBIN_API Status copy_async(void* to, const void* from, size_t bytes, StreamView stream);
[[nodiscard]] BOBBIN_API Status fill_async(void* to, uint8_t value, size_t bytes, StreamView stream);

}  // namespace bobbin
