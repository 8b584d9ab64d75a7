// SPDX-License-Identifier: Apache-2.0
#include "codecs/patched/patched.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::patched {
namespace {

// Starts of chunks whose patches begin at `less`.
Buffer shift_starts(const Buffer& starts, uint32_t less) {
  const NewBuffer shifted = make_buffer(starts.bytes.size());
  for (size_t v = 0; v < starts.bytes.size() / sizeof(uint32_t); ++v) {
    const uint32_t start = load_at<uint32_t>(starts.bytes.data(), v) - less;
    std::memcpy(shifted.data + v * sizeof start, &start, sizeof start);
  }
  return shifted.buffer;
}

}  // namespace

// Patches are not moved: starts say which belong to the slice.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  Array part = slice_rows(array, begin, length);
  part.buffers[0] = array.buffers[0].sub(start / kVectorLength * sizeof(uint32_t),
                                         (num_vectors(part.offset + length) + 1) * sizeof(uint32_t));
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  Array& part = loader.part;
  const bool by_lanes = node.segments.size() == 2;
  BOBBIN_TRY(
      loader.add_buffer(loader.first_vector() * sizeof(uint32_t), (loader.vectors() + 1) * sizeof(uint32_t)));
  const auto first = load_at<uint32_t>(part.buffers[0].bytes.data(), 0);
  const auto last = load_at<uint32_t>(part.buffers[0].bytes.data(), loader.vectors());
  BOBBIN_RETURN_IF(first > last, StatusCode::corrupt, "patched: starts descend");
  const auto add = [&](uint64_t size) { return loader.add_buffer(first * size, (last - first) * size); };
  BOBBIN_TRY(add(by_lanes ? kUnitBytes : sizeof(uint16_t)));
  if (!by_lanes) {
    BOBBIN_TRY(add(size_bytes(node.type)));
  }
  part.buffers[0] = shift_starts(part.buffers[0], first);
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(part);
}

}  // namespace bobbin::codec::patched
