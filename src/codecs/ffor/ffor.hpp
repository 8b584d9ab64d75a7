// SPDX-License-Identifier: Apache-2.0
// Frame of reference fused with bit-packing: a reference and a width for each vector of 1024: see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/bitpack/bitpack.hpp"
#include "codecs/codec.hpp"
#include "codecs/ffor/stage.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::ffor {

// An entry has 25 bits for a register's index, which limits packed bytes to just under 4 GiB.
inline constexpr uint64_t kMaxRegisters = (uint64_t{1} << 25) - 1;

// The array's buffers by name. They may be unaligned in host memory.
struct Parts {
  const std::byte* references;
  const std::byte* entries;
  const std::byte* packed;

  explicit Parts(const Array& array)
      : references(array.buffers[0].bytes.data()),
        entries(array.buffers[1].bytes.data()),
        packed(array.buffers[2].bytes.data()) {}

  template <class T>
  [[nodiscard]] T reference(uint64_t v) const {
    T value = 0;
    std::memcpy(&value, references + v * sizeof(T), sizeof(T));
    return value;
  }
  [[nodiscard]] Entry entry(uint64_t v) const {
    Entry entry;
    std::memcpy(&entry.bits, entries + v * sizeof(entry.bits), sizeof(entry.bits));
    return entry;
  }
  [[nodiscard]] const std::byte* vector(Entry entry) const {
    return packed + entry.first_register() * kRegisterBytes;
  }
};

}  // namespace bobbin::codec::ffor
