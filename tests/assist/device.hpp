// SPDX-License-Identifier: Apache-2.0
// Runs kernels with an executor: on the GPU or in the emulator.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/stream.hpp"
#include "simt/cta.hpp"

namespace bobbin::testing {

template <class Executor>
class TestDeviceOn {
 public:
  // With the executor's options, if it has any.
  template <class... Options>
  explicit TestDeviceOn(const Options&... options)
      : stream_(*Stream::create(Executor::kBackend)), executor_(stream_.view(), options...) {}

  [[nodiscard]] StreamView stream() const { return stream_.view(); }

  // Waits for the kernel.
  template <class K>
  void run(const K& kernel) const {
    const Status started = executor_.run(kernel, kernel.blocks());
    ASSERT_TRUE(started.ok()) << started.message();
    const Status ended = stream().synchronize();
    ASSERT_TRUE(ended.ok()) << ended.message();
  }

 private:
  Stream stream_;
  Executor executor_;
};

// Values in device memory.
template <class T>
class DeviceValues {
 public:
  DeviceValues(const auto& device, const std::vector<T>& values)
      : stream_(device.stream()), buffer_(*DeviceBuffer::create(values.size() * sizeof(T), stream_)) {
    EXPECT_TRUE(copy_async(buffer_.data(), values.data(), buffer_.size(), stream_).ok());
    EXPECT_TRUE(stream_.synchronize().ok());
  }
  DeviceValues(const auto& device, uint64_t zeros) : DeviceValues(device, std::vector<T>(zeros)) {}

  [[nodiscard]] simt::Global<T> global() const {
    return {buffer_.template as<T>(), buffer_.size() / sizeof(T)};
  }
  [[nodiscard]] simt::Global<const T> constant() const { return {global().data, global().size}; }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> out(buffer_.size() / sizeof(T));
    EXPECT_TRUE(copy_async(out.data(), buffer_.data(), buffer_.size(), stream_).ok());
    EXPECT_TRUE(stream_.synchronize().ok());
    return out;
  }

 private:
  StreamView stream_;
  DeviceBuffer buffer_;
};

}  // namespace bobbin::testing
