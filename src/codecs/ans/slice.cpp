// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/ans/ans.hpp"
#include "codecs/stored.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::ans {
namespace {

// The segments that a slice keeps, and its header.
struct Kept {
  uint64_t first = 0;
  uint64_t end = 0;
  Header header;

  // The slice begins `start` values after the beginning of the segments.
  static Kept of(const Header& whole, uint64_t start, uint64_t length) {
    Kept kept{.header = whole};
    kept.header.stored = 0;
    kept.header.skip = 0;
    if (length == 0) {
      kept.header.first = 0;
      return kept;
    }
    const uint64_t size = whole.segment_values();
    kept.first = start / size;
    kept.end = ceil_div<uint64_t>(start + length, size);
    kept.header.stored = std::min(whole.stored, kept.end * size) - kept.first * size;
    kept.header.skip = start % size / kVectorLength * kVectorLength;
    return kept;
  }
  [[nodiscard]] bool empty() const { return first == end; }
  [[nodiscard]] uint64_t index_begin() const { return first * sizeof(uint32_t); }
  [[nodiscard]] uint64_t index_bytes() const { return offsets_bytes(end - first); }
};

}  // namespace

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Header header = Header::parse(array.metadata);
  const Kept kept = Kept::of(header, header.skip + array.offset + begin, length);
  Array part = array;
  part.length = length;
  part.offset = (array.offset + begin) % kVectorLength;
  part.metadata = kept.header.serialize();
  if (kept.empty()) {
    for (Buffer& buffer : part.buffers) {
      buffer = buffer.sub(0, 0);
    }
    return part;
  }
  const SegmentList segments(array);
  const uint64_t from = segments.begin(kept.first);
  part.buffers[1] = array.buffers[1].sub(from, segments.begin(kept.end) - from);
  part.buffers[2] = array.buffers[2].sub(kept.index_begin(), kept.index_bytes());
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  const Header header = Header::parse(loader.part.metadata);
  BOBBIN_RETURN_IF(header.segment_log < kMinSegmentLog || header.segment_log > kMaxSegmentLog ||
                       header.stored > kMaxStored ||
                       loader.buffer_bytes(2) != offsets_bytes(header.num_segments()) ||
                       begin + length > header.stored,
                   StatusCode::corrupt, "ans: segment offsets do not fit the values");
  const Kept kept = Kept::of(header, begin, length);
  loader.part.metadata = kept.header.serialize();
  if (kept.empty()) {
    BOBBIN_TRY(loader.add_buffer(0, 0));
    BOBBIN_TRY(loader.add_buffer(0, 0));
    BOBBIN_TRY(loader.add_buffer(0, 0));
    return std::move(loader.part);
  }
  const uint32_t index = node.segments[2];
  BOBBIN_ASSIGN(const Buffer zero, segments.read(index, 0, sizeof(uint32_t)));
  BOBBIN_ASSIGN(const Buffer offsets, segments.read(index, kept.index_begin(), kept.index_bytes()));
  uint32_t places[3];
  std::memcpy(&places[0], zero.bytes.data(), sizeof(uint32_t));
  std::memcpy(&places[1], offsets.bytes.data(), sizeof(uint32_t));
  std::memcpy(&places[2], offsets.bytes.data() + offsets.bytes.size() - sizeof(uint32_t), sizeof(uint32_t));
  BOBBIN_RETURN_IF(places[0] != 0 || places[1] > places[2], StatusCode::corrupt,
                   "ans: segment offsets do not begin with 0, or descend");
  BOBBIN_TRY(loader.add_buffer());
  BOBBIN_TRY(
      loader.add_buffer(uint64_t{places[1]} * kUnitBytes, uint64_t{places[2] - places[1]} * kUnitBytes));
  BOBBIN_TRY(loader.add_buffer(kept.index_begin(), kept.index_bytes()));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::ans
