// SPDX-License-Identifier: Apache-2.0
// Iterates over the vectors of a slice of an array on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/lanes.hpp"
#include "core/stream_copy.hpp"

namespace bobbin {

// Calls unpack(v, rows, to) for each vector that holds one of the values offset .. offset+length-1; it writes
// rows * kLanes<T> values. Whole vectors go directly to `out`, partial ones through a buffer, and so do all
// vectors of a large output, which bypasses the caches.
template <class T, class Unpack>
void decode_vectors(uint64_t offset, uint64_t length, T* out, Unpack&& unpack) {
  if (length == 0) {
    return;
  }
  const bool stream = length * sizeof(T) >= kStreamBytes;
  const uint64_t end = offset + length;
  for (uint64_t first = offset / kVectorLength * kVectorLength; first < end; first += kVectorLength) {
    const uint64_t v = first / kVectorLength;
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, end - first));
    const uint32_t rows = num_rows(here, kBits<T>);
    const bool whole = first >= offset && rows * kLanes<T> == here;
    if (whole && !stream) {
      unpack(v, rows, out + (first - offset));
      continue;
    }
    alignas(64) T buffer[kVectorLength];
    unpack(v, rows, buffer);
    if (whole) {
      copy_past_caches(out + (first - offset), buffer, here * sizeof(T));
      continue;
    }
    const auto skip = static_cast<uint32_t>(first < offset ? offset - first : 0);
    std::memcpy(out + (first + skip - offset), buffer + skip, (here - skip) * sizeof(T));
  }
  if (stream) {
    end_copies_past_caches();
  }
}

// Calls unpack as above for each vector, then writes its 1024 bits to `bitmap`: bit i is set if value i +
// add, modulo 2^T, is at most `span`, or, if negated, if it is not. Bits past the end are zero.
template <class T, class Unpack, class Shift>
void compare_vectors(uint64_t end, T span, bool negated, uint32_t* bitmap, Unpack&& unpack, Shift&& shift) {
  for (uint64_t first = 0; first < end; first += kVectorLength) {
    const uint64_t v = first / kVectorLength;
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, end - first));
    alignas(64) T values[kVectorLength];
    unpack(v, num_rows(here, kBits<T>), values);
    const T add = shift(v);
    alignas(64) uint8_t hits[kVectorLength] = {};
    for (uint32_t i = 0; i < here; ++i) {
      hits[i] = static_cast<uint8_t>((static_cast<T>(values[i] + add) <= span) != negated);
    }
    for (uint32_t byte = 0; byte < kVectorLength / 8; ++byte) {
      uint64_t flags = 0;
      std::memcpy(&flags, hits + byte * 8, 8);
      // Packs eight 0/1 bytes into eight bits: the product gathers bit 0 of byte j at bit 56 + j.
      const auto bits = static_cast<uint8_t>((flags * 0x0102040810204080ULL) >> 56);
      std::memcpy(reinterpret_cast<uint8_t*>(bitmap) + v * (kVectorLength / 8) + byte, &bits, 1);
    }
  }
}

}  // namespace bobbin
