// SPDX-License-Identifier: Apache-2.0
#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "core/vectors.hpp"

namespace bobbin::codec::patched {
namespace {

// Bits of the inner array's values, patches left aside.
template <class T>
void compare_inner(const Array& inner, const ValueRange& range, uint32_t* bitmap) {
  const Codec& codec = *find_codec(inner.codec);
  if (codec.compare != nullptr) {
    codec.compare(inner, range, bitmap);
    return;
  }
  const auto low = static_cast<T>(range.low);
  compare_vectors<T>(
      inner.offset + inner.length, static_cast<T>(range.span), range.negated, bitmap,
      [&](uint64_t v, uint32_t /*rows*/, T* to) {
        const uint64_t first = std::max(v * kVectorLength, inner.offset);
        const uint64_t end = std::min((v + 1) * kVectorLength, inner.offset + inner.length);
        std::fill_n(to, kVectorLength, T{0});
        codec.decode(codec.slice(inner, first - inner.offset, end - first), to + first % kVectorLength);
      },
      [&](uint64_t) { return static_cast<T>(T{0} - low); });
}

}  // namespace

// The inner array answers for all, then each patch for itself.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    compare_inner<T>(array.children[0], range, bitmap);
    const uint64_t end = array.offset + array.length;
    for (uint64_t v = 0; v < num_vectors(end); ++v) {
      const Chunk chunk = chunk_of(array, v);
      for (uint32_t i = 0; i < chunk.count; ++i) {
        const uint64_t at = v * kVectorLength + chunk.index(i);
        const auto from_low = static_cast<T>(load_at<T>(chunk.values, i) - static_cast<T>(range.low));
        const bool hit = at < end && (from_low <= static_cast<T>(range.span)) != range.negated;
        const uint32_t bit = uint32_t{1} << (at % 32);
        bitmap[at / 32] = (bitmap[at / 32] & ~bit) | (hit ? bit : 0);
      }
    }
  });
}

}  // namespace bobbin::codec::patched
