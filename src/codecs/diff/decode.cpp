// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "codecs/batches.hpp"
#include "codecs/diff/diff.hpp"
#include "core/dispatch.hpp"
#include "scan/scan.hpp"

namespace bobbin::codec::diff {
namespace {

// Differences are decoded this many vectors at a time: enough that children which search for their first
// value, such as rle, rarely do so; few enough to stay in a cache.
constexpr uint64_t kBatchVectors = 16;

template <class T>
void sum_up(T* values, uint64_t count, T before) {
  scan::scan_tile_on_cpu<T>(values, count, 1, 1, &before);
}

// Values 0 .. count-1 of vector v, from the vector's start.
template <class T>
void decode_head(const Array& array, uint64_t v, uint64_t count, T* to) {
  const Array& differences = differences_of(array);
  const Array& starts = starts_of(array);
  const Codec& codec = *find_codec(differences.codec);
  codec.decode(codec.slice(differences, v * kVectorLength, count), to);
  sum_up(to, count, static_cast<T>(find_codec(starts.codec)->value_at(starts, v).bits));
}

// For an array that starts at a vector.
template <class T>
void decode_vectors(const Array& array, T* out) {
  const Array& starts = starts_of(array);
  std::vector<T> before(starts.length);
  find_codec(starts.codec)->decode(starts, before.data());
  decode_in_batches<kBatchVectors>(
      differences_of(array), reinterpret_cast<std::byte*>(out), [&](uint64_t v, const DecodedBatch& decoded) {
        const uint64_t first = v * kVectorLength;
        const uint64_t count = std::min<uint64_t>(kVectorLength, array.length - first);
        sum_up(reinterpret_cast<T*>(decoded.at(first)), count, before[v]);
      });
}

template <class T>
void decode_values(const Array& array, T* out) {
  if (array.offset == 0) {
    return decode_vectors(array, out);
  }
  const uint64_t head = std::min<uint64_t>(kVectorLength - array.offset, array.length);
  std::array<T, kVectorLength> first;
  decode_head(array, 0, array.offset + head, first.data());
  std::copy_n(first.data() + array.offset, head, out);
  if (head < array.length) {
    decode_vectors(slice(array, head, array.length - head), out + head);
  }
}

}  // namespace

std::string describe(const Array& array) {
  return array.children.size() == 2 ? "differences of " + std::string(to_string(differences_of(array).type))
                                    : "damaged";
}

void decode(const Array& array, void* out) {
  if (array.length != 0) {
    visit_bits(array.type,
               [&]<class T>(std::type_identity<T>) { decode_values(array, static_cast<T*>(out)); });
  }
}

Scalar value_at(const Array& array, uint64_t index) {
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const uint64_t i = array.offset + index;
    std::array<T, kVectorLength> values;
    decode_head(array, i / kVectorLength, i % kVectorLength + 1, values.data());
    return Scalar{values[i % kVectorLength]};
  });
}

}  // namespace bobbin::codec::diff
