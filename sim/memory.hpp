// SPDX-License-Identifier: Apache-2.0
// Global memory, byte for byte, and what the simulated L2 and DRAM hold of it: each line's code and image.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "sim/config.hpp"
#include "sim/line_codec.hpp"

namespace bobbin::sim {

using Address = uint64_t;

// An array in global memory.
template <class T>
struct Array {
  Address base = 0;
  uint64_t count = 0;
};

struct Allocation {
  std::string name;
  Address base = 0;
  uint64_t bytes = 0;
  bool compressible = true;
  bool transferred = false;  // the host wrote it: its initial copy is compressed
};

class Memory {
 public:
  static constexpr Address kFirst = 0x1'0000;

  // Allocations begin at whole lines and are filled with zeros.
  template <class T>
  [[nodiscard]] Array<T> allocate(std::string name, uint64_t count, bool compressible = true) {
    return {allocate_bytes(std::move(name), count * sizeof(T), compressible), count};
  }
  template <class T>
  [[nodiscard]] Array<T> allocate(std::string name, std::span<const T> values, bool compressible = true) {
    const Array<T> array = allocate<T>(std::move(name), values.size(), compressible);
    allocations_.back().transferred = true;
    std::memcpy(at(array.base), values.data(), values.size_bytes());
    return array;
  }

  // For the host: setup before the first launch, checks after the last. Whatever is viewed to be written
  // counts as transferred to the GPU; other arrays are kernels' own and not compressed before a kernel writes
  // them.
  template <class T>
  [[nodiscard]] std::span<T> view(const Array<T>& array) {
    mark_transferred(array.base);
    return {reinterpret_cast<T*>(at(array.base)), array.count};
  }
  template <class T>
  [[nodiscard]] std::span<const T> view(const Array<T>& array) const {
    return {reinterpret_cast<const T*>(at(array.base)), array.count};
  }

  [[nodiscard]] bool contains(Address address, uint32_t bytes) const {
    return address >= kFirst && address + bytes <= kFirst + bytes_.size();
  }
  [[nodiscard]] uint8_t* at(Address address) { return bytes_.data() + (address - kFirst); }
  [[nodiscard]] const uint8_t* at(Address address) const { return bytes_.data() + (address - kFirst); }

  [[nodiscard]] uint64_t num_lines() const { return bytes_.size() / kLineBytes; }
  // Lines are numbered from the first allocation.
  [[nodiscard]] static uint64_t line_of(Address address) { return (address - kFirst) / kLineBytes; }
  [[nodiscard]] std::span<const uint8_t, kLineBytes> line(uint64_t index) const {
    return std::span<const uint8_t, kLineBytes>(bytes_.data() + index * kLineBytes, kLineBytes);
  }
  [[nodiscard]] const std::vector<Allocation>& allocations() const { return allocations_; }
  [[nodiscard]] const Allocation& allocation_of(uint64_t line) const;
  [[nodiscard]] std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  [[nodiscard]] Address allocate_bytes(std::string name, uint64_t bytes, bool compressible);
  void mark_transferred(Address address);

  std::vector<uint8_t> bytes_;
  std::vector<Allocation> allocations_;
};

// What L2 and DRAM hold. A line keeps its slot whatever its size: there is no gain in capacity.
class StoredImage {
 public:
  // The initial copy, compressed on the host before it is transferred. What is not transferred is raw.
  StoredImage(const Memory& memory, Algorithm algorithm, bool first_base);

  [[nodiscard]] uint32_t code(uint64_t line) const { return codes_[line]; }
  [[nodiscard]] bool is_compressed(uint64_t line) const { return codes_[line] != kRawCode; }
  [[nodiscard]] uint32_t size(uint64_t line) const { return sizes_[line]; }
  // 1 to 4: a line of zeros still takes a burst.
  [[nodiscard]] uint32_t bursts(uint64_t line) const { return bursts_of(sizes_[line]); }
  [[nodiscard]] bool is_compressible(uint64_t line) const { return compressible_[line] != 0; }
  [[nodiscard]] LineImage image(uint64_t line) const;
  [[nodiscard]] LineBytes decoded(uint64_t line) const;

  // Bytes of a raw line, those whose bit is set.
  void write_bytes(uint64_t line, const LineBytes& bytes, const ByteMask& mask);
  void write_image(uint64_t line, const LineImage& image);

  // Whether all lines decode to the memory's; otherwise the first that does not.
  [[nodiscard]] Status compare(const Memory& memory) const;
  // Bursts of all lines raw over those stored.
  [[nodiscard]] double ratio() const;

 private:
  void set(uint64_t line, const LineImage& image);

  std::vector<uint8_t> slots_;
  std::vector<uint8_t> codes_;
  std::vector<uint8_t> sizes_;
  std::vector<uint8_t> compressible_;
};

}  // namespace bobbin::sim
