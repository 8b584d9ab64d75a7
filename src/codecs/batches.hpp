// SPDX-License-Identifier: Apache-2.0
// Decodes an inner array a few vectors at a time, so that the next step finds the values in a cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"
#include "core/stream_copy.hpp"

namespace bobbin {

// Some values of an array while they are in a cache.
struct DecodedBatch {
  std::byte* bytes;
  uint64_t first;  // index of the first one in the array
  size_t size;     // per value

  [[nodiscard]] std::byte* at(uint64_t i) const { return bytes + (i - first) * size; }
};

// Decodes all values of `inner` to `out`, kVectors vectors at a time. Calls done(v, values) for each vector,
// in order, as soon as it is decoded; it may change the values. Large outputs bypass the caches.
template <uint64_t kVectors = 2, class Done>
void decode_in_batches(const Array& inner, std::byte* out, Done&& done) {
  constexpr uint64_t kBatch = kVectors * kVectorLength;
  const Codec& codec = *find_codec(inner.codec);
  const size_t size = size_bytes(inner.type);
  const uint64_t end = inner.offset + inner.length;
  const bool stream = inner.length * size >= kStreamBytes;
  std::vector<std::byte> buffer(stream ? kBatch * size : 0);
  for (uint64_t first = 0; first < end; first += kBatch) {
    const uint64_t begin = std::max(first, inner.offset);
    const uint64_t stop = std::min(first + kBatch, end);
    if (begin >= stop) {
      continue;
    }
    std::byte* const to = out + (begin - inner.offset) * size;
    const DecodedBatch values{stream ? buffer.data() : to, begin - inner.offset, size};
    codec.decode(codec.slice(inner, begin - inner.offset, stop - begin), values.bytes);
    for (uint64_t v = begin / kVectorLength; v * kVectorLength < stop; ++v) {
      done(v, values);
    }
    if (stream) {
      copy_past_caches(to, buffer.data(), (stop - begin) * size);
    }
  }
  if (stream) {
    end_copies_past_caches();
  }
}

}  // namespace bobbin
