// SPDX-License-Identifier: Apache-2.0
// What codecs of strings share on a device: arrays there, validity, and checks and sizes from decoded
// offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "bobbin/memory.hpp"
#include "codecs/codec.hpp"
#include "simt/bitmap.hpp"

namespace bobbin::codec {

template <class T>
simt::Global<const T> global_of(const Buffer& buffer) {
  return {reinterpret_cast<const T*>(buffer.bytes.data()), buffer.bytes.size() / sizeof(T)};
}

// Device memory for a number of Ts.
template <class T>
class DeviceArray {
 public:
  static Result<DeviceArray> create(uint64_t size, StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(size * sizeof(T), stream));
    return DeviceArray(std::make_shared<DeviceBuffer>(std::move(buffer)), size);
  }
  static Result<DeviceArray> zeros(uint64_t size, StreamView stream) {
    BOBBIN_ASSIGN(DeviceArray array, create(size, stream));
    BOBBIN_TRY(fill_async(array.get().data, 0, size * sizeof(T), stream));
    return array;
  }
  static Result<DeviceArray> copy_of(const T* from, uint64_t size, StreamView stream) {
    BOBBIN_ASSIGN(DeviceArray array, create(size, stream));
    BOBBIN_TRY(copy_async(array.get().data, from, size * sizeof(T), stream));
    return array;
  }

  [[nodiscard]] simt::Global<T> get() const { return {memory_->template as<T>(), size_}; }
  [[nodiscard]] simt::Global<const T> read() const { return {memory_->template as<T>(), size_}; }
  [[nodiscard]] Buffer buffer() const {
    return {memory_, {memory_->template as<std::byte>(), size_ * sizeof(T)}};
  }
  // Copies some of them to host memory. Waits for the stream.
  [[nodiscard]] Result<std::vector<T>> fetch(uint64_t first, uint64_t count, StreamView stream) const {
    std::vector<T> values(count);
    BOBBIN_TRY(copy_async(values.data(), get().data + first, count * sizeof(T), stream));
    BOBBIN_TRY(stream.synchronize());
    return values;
  }

 private:
  DeviceArray(std::shared_ptr<DeviceBuffer> memory, uint64_t size)
      : memory_(std::move(memory)), size_(size) {}

  std::shared_ptr<DeviceBuffer> memory_;
  uint64_t size_;
};

// Calls f with the type of an array's offsets.
template <class F>
decltype(auto) with_offset_type(bool wide, F&& f) {
  return wide ? f(std::type_identity<uint64_t>{}) : f(std::type_identity<uint32_t>{});
}

// Which strings have values.
struct DeviceValidity {
  simt::Global<const uint8_t> bits;  // empty: all have
  uint64_t first;                    // the first string's bit

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool at(Cta& cta, uint64_t i) const {
    return bits.size == 0 || simt::bit_at(cta, bits, first + i);
  }
};

// Checks that decoded offsets go from `first` to `last` without descending, and that nulls are empty.
template <class T>
struct CheckOffsetsKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  simt::Global<const T> offsets;
  DeviceValidity validity;
  uint64_t first;
  uint64_t last;
  simt::Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < offsets.size && !is_right(cta, i)) {
      cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD bool is_right(Cta& cta, uint64_t i) const {
    const T offset = cta.load(offsets, i);
    if ((i == 0 && offset != first) || (i + 1 == offsets.size && offset != last)) {
      return false;
    }
    if (i + 1 == offsets.size) {
      return true;
    }
    const T next = cta.load(offsets, i + 1);
    return validity.at(cta, i) ? next >= offset : next == offset;
  }
};

// Sizes of the strings to take.
template <class T>
struct TakeSizesKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  simt::Global<const T> offsets;
  simt::Global<const uint64_t> indices;
  simt::Global<uint64_t> sizes;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < indices.size) {
      const uint64_t index = cta.load(indices, i);
      cta.store(sizes, i, uint64_t{cta.load(offsets, index + 1)} - cta.load(offsets, index));
    }
  }
};

}  // namespace bobbin::codec
