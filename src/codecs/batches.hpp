// SPDX-License-Identifier: Apache-2.0
// Decodes an inner array a few vectors at a time, so that what is done to its values next finds them in a
// cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codecs/codec.hpp"
#include "codecs/registry.hpp"
#include "core/lanes.hpp"

namespace bobbin {

// Writes all values of `inner` to `out`. Calls done(v) for each of its vectors, in order, as soon as its
// values are there.
template <class Done>
void decode_in_batches(const Array& inner, std::byte* out, Done&& done) {
  constexpr uint64_t kBatch = 32 * uint64_t{kVectorLength};
  const Codec& codec = *find_codec(inner.codec);
  const uint64_t end = inner.offset + inner.length;
  for (uint64_t first = 0; first < end; first += kBatch) {
    const uint64_t begin = std::max(first, inner.offset);
    const uint64_t stop = std::min(first + kBatch, end);
    if (begin < stop) {
      codec.decode(codec.slice(inner, begin - inner.offset, stop - begin),
                   out + (begin - inner.offset) * size_bytes(inner.type));
    }
    for (uint64_t v = first / kVectorLength; v * kVectorLength < stop; ++v) {
      done(v);
    }
  }
}

}  // namespace bobbin
