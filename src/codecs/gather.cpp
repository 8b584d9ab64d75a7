// SPDX-License-Identifier: Apache-2.0
#include "codecs/gather.hpp"

#include <algorithm>

#include "bobbin/strings.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin {
namespace {

// Rows that are decoded at once, so that they stay in a cache.
constexpr uint64_t kMostRows = 16 * uint64_t{kVectorLength};

// Whether reading one value decodes others: those before it, or the row numbers in which it is searched for.
bool decodes_others(const Array& array) {
  const Codec& codec = *find_codec(array.codec);
  const std::span<const ChildShape> children = codec.shape.children;
  const bool searches = !children.empty() &&
                        (children[0].follows == Follows::runs || children[0].follows == Follows::exceptions);
  return codec.looks_back || codec.compact_only || searches ||
         std::ranges::any_of(array.children, &decodes_others);
}

// How many of the first indices ascend and are less than a vector apart.
size_t count_close(std::span<const uint64_t> indices) {
  size_t count = 1;
  while (count < indices.size() && indices[count] >= indices[count - 1] &&
         indices[count] - indices[count - 1] < kVectorLength && indices[count] - indices[0] < kMostRows) {
    ++count;
  }
  return count;
}

template <class T>
void take_one_by_one(const Array& array, std::span<const uint64_t> indices, T* out) {
  const auto value_at = find_codec(array.codec)->value_at;
  for (size_t i = 0; i < indices.size(); ++i) {
    out[i] = static_cast<T>(value_at(array, indices[i]).bits);
  }
}

template <class T>
void take_in_blocks(const Array& array, std::span<const uint64_t> indices, T* out) {
  const Codec& codec = *find_codec(array.codec);
  UnsetVector<T> block;
  while (!indices.empty()) {
    const std::span<const uint64_t> close = indices.first(count_close(indices));
    if (close.size() == 1) {
      take_one_by_one(array, close, out);
    } else {
      const uint64_t first = close.front();
      block.resize(close.back() - first + 1);
      codec.decode(codec.slice(array, first, block.size()), block.data());
      std::ranges::transform(close, out, [&](uint64_t index) { return block[index - first]; });
    }
    indices = indices.subspan(close.size());
    out += close.size();
  }
}

}  // namespace

void take_values(const Array& array, std::span<const uint64_t> indices, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    if (decodes_others(array)) {
      take_in_blocks(array, indices, static_cast<T*>(out));
    } else {
      take_one_by_one(array, indices, static_cast<T*>(out));
    }
  });
}

}  // namespace bobbin
