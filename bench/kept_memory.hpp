// SPDX-License-Identifier: Apache-2.0
// Scratch memory for device functions, so that allocation is not measured.
#pragma once

#include <cstddef>
#include <utility>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"

namespace bobbin::bench {

// One block of device memory, kept from call to call.
class KeptMemory final : public MemoryResource {
 public:
  explicit KeptMemory(DeviceBuffer buffer) : buffer_(std::move(buffer)) {}
  Result<void*> allocate(size_t bytes, StreamView /*stream*/) override {
    BOBBIN_RETURN_IF(bytes > buffer_.size(), StatusCode::out_of_memory, "more scratch than was stated");
    return buffer_.data();
  }
  void deallocate(void* /*data*/, size_t /*bytes*/, StreamView /*stream*/) noexcept override {}

 private:
  DeviceBuffer buffer_;
};

}  // namespace bobbin::bench
