// SPDX-License-Identifier: Apache-2.0
#include "codecs/compare_child.hpp"
#include "codecs/patched/patched.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::patched {

// The inner array is compared first, then each patch overrides its bit.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    compare_child<T>(array.children[0], range, bitmap);
    const uint64_t end = array.offset + array.length;
    for (uint64_t v = 0; v < num_vectors(end); ++v) {
      const ChunkPatches chunk = patches_of(array, v);
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
