// SPDX-License-Identifier: Apache-2.0
// Another array with some values replaced by patches, grouped by chunks of 1024: see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "codecs/codec.hpp"
#include "codecs/patched/stage.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::patched {

// The lane of index i; `size` is a value's size in bytes.
[[nodiscard]] BOBBIN_HD constexpr uint32_t lane_of(uint32_t i, uint32_t size) {
  return i * size / 16 % kPatchLanes;
}

template <class T>
[[nodiscard]] T load_at(const std::byte* from, uint64_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

// The patches of one chunk, in host memory, in any order.
struct ChunkPatches {
  uint32_t count = 0;
  const std::byte* indices = nullptr;
  const std::byte* values = nullptr;

  [[nodiscard]] uint32_t index(uint32_t i) const { return load_at<uint16_t>(indices, i); }
};

[[nodiscard]] inline PatchLayout layout_of(const Array& array) {
  return static_cast<PatchLayout>(array.metadata[0]);
}
// Those of chunk v of a valid array.
[[nodiscard]] ChunkPatches patches_of(const Array& array, uint64_t v);

// The encoding of a vector in the fewest bytes: differences to `reference` of up to `width` bits, others as
// patches.
template <class T>
struct Choice {
  T reference = 0;
  uint32_t width = 0;
  uint32_t patches = 0;  // values below the reference or too wide
  uint64_t bytes = 0;

  [[nodiscard]] bool is_patch(T value) const {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(value) - static_cast<Bits>(reference)) > low_mask<Bits>(width);
  }
};
// For up to 1024 values. T is any integer. The reference is the least value, or a given one.
template <class T>
[[nodiscard]] Choice<T> choose(std::span<const T> vector);
template <class T>
[[nodiscard]] Choice<T> choose_from(T reference, std::span<const T> vector);

// Size of a patch in the sorted layout.
[[nodiscard]] BOBBIN_HD constexpr uint32_t patch_bytes(uint32_t value_size) {
  return sizeof(uint16_t) + value_size;
}

// Puts patches over `inner`, in host memory; `places` ascend. T is the unsigned integer of the type's size.
template <class T>
Result<Array> wrap(Array inner, std::span<const uint64_t> places, std::span<const T> values);
// Bytes that this adds to an inner array of some length.
[[nodiscard]] uint64_t wrapping_bytes(uint64_t length, uint64_t patches, uint32_t value_size);

// Converts a sorted array to lanes.
[[nodiscard]] Array to_lanes(const Array& array);

}  // namespace bobbin::codec::patched
