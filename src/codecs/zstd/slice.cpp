// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/registry.hpp"
#include "codecs/stored.hpp"
#include "codecs/zstd/array.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::zstd {
namespace {

// The groups of frames that a slice keeps.
struct Kept {
  uint64_t first = 0;
  uint64_t end = 0;

  // Those with units begin .. end-1 of an array's content.
  static Kept of(const Header& header, uint64_t begin, uint64_t end) {
    return begin == end ? Kept{} : Kept{begin / header.units(), ceil_div<uint64_t>(end, header.units())};
  }

  [[nodiscard]] uint64_t frames(const Header& header) const { return (end - first) * header.planes; }
  [[nodiscard]] uint64_t stored(const Header& header) const {
    return std::min(header.stored, end * header.units()) - first * header.units();
  }
};

// The header of a slice that has units begin .. end-1.
Header header_of(const Header& whole, const Kept& kept, uint64_t begin, uint64_t end, bool strings) {
  Header header = whole;
  header.stored = kept.end == kept.first ? 0 : kept.stored(whole);
  header.skip = begin == end ? 0 : begin - kept.first * whole.units();
  header.left = strings && begin != end ? header.stored - header.skip - (end - begin) : 0;
  return header;
}

// Rows of a slice of numbers, from the start of the vector that has its first one.
struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};
RowRange rows_of(uint64_t start, uint64_t length) {
  return length == 0 ? RowRange{} : RowRange{start / kVectorLength * kVectorLength, start + length};
}

uint64_t validity_bytes(const Array& part) {
  return ceil_div<uint64_t>(part.offset + part.length, 8);
}

Array slice_strings(const Array& array, uint64_t begin, uint64_t length) {
  const Header header = Header::parse(array.metadata);
  const Array& offsets = offsets_of(array);
  const Codec& codec = *find_codec(offsets.codec);
  const uint64_t from = codec.value_at(offsets, begin).bits;
  const uint64_t to = codec.value_at(offsets, begin + length).bits;
  const uint64_t first = header.skip + (from - header.base);
  const Kept kept = Kept::of(header, first, first + (to - from));
  const Frames frames(array);
  Array part = array;
  part.length = length;
  part.offset = (array.offset + begin) % kVectorLength;
  Header changed = header_of(header, kept, first, first + (to - from), true);
  changed.base = from;
  part.metadata = changed.serialize();
  part.buffers[0] =
      array.buffers[0].sub(frames.begin(kept.first), frames.begin(kept.end) - frames.begin(kept.first));
  part.buffers[1] =
      index_bytes(kept.frames(header)) == 0
          ? array.buffers[1].sub(0, 0)
          : array.buffers[1].sub(kept.first * sizeof(uint32_t), index_bytes(kept.frames(header)));
  if (!array.buffers[2].bytes.empty()) {
    const uint64_t vector = (array.offset + begin) / kVectorLength;
    part.buffers[2] = array.buffers[2].sub(vector * (kVectorLength / 8), validity_bytes(part));
  }
  part.children[0] = codec.slice(offsets, begin, length + 1);
  return part;
}

Array slice_numbers(const Array& array, uint64_t begin, uint64_t length) {
  const Header header = Header::parse(array.metadata);
  const RowRange rows = rows_of(header.skip + array.offset + begin, length);
  const Kept kept = Kept::of(header, rows.begin, rows.end);
  const Frames frames(array);
  const uint64_t from = frames.begin(kept.first * header.planes);
  Array part = array;
  part.length = length;
  part.offset = (array.offset + begin) % kVectorLength;
  part.metadata = header_of(header, kept, rows.begin, rows.end, false).serialize();
  part.buffers[0] = array.buffers[0].sub(from, frames.begin(kept.end * header.planes) - from);
  const uint64_t index = index_bytes(kept.frames(header));
  part.buffers[1] =
      array.buffers[1].sub(index == 0 ? 0 : kept.first * header.planes * sizeof(uint32_t), index);
  const size_t size = size_bytes(array.type);
  part.decoded = array.decoded.bytes.size() == array.length * size
                     ? array.decoded.sub(begin * size, length * size)
                     : Buffer{};
  return part;
}

// What a node in a file says of its frames, checked as far as a slice depends on it.
Result<Header> checked_header(const SliceLoader& loader) {
  const Header header = Header::parse(loader.part.metadata);
  const uint64_t size = is_string(loader.node().type) ? 1 : size_bytes(loader.node().type);
  const bool plausible = header.frame_log >= kMinFrameLog && header.frame_log <= kMaxFrameLog &&
                         header.width != 0 && header.width <= size &&
                         (header.planes == 1 || header.planes == header.width) && header.stored <= kMaxStored;
  BOBBIN_RETURN_IF(!plausible || loader.buffer_bytes(1) != index_bytes(header.num_frames()),
                   StatusCode::corrupt, "zstd: frame offsets do not fit the frames");
  return header;
}

// Reads the frames that a slice keeps, and their offsets.
Status add_frames(SliceLoader& loader, const Header& header, const Kept& kept) {
  const uint64_t first = kept.first * header.planes;
  const uint64_t count = kept.frames(header);
  BOBBIN_RETURN_IF(first + count > header.num_frames(), StatusCode::corrupt,
                   "zstd: a slice outside of the frames");
  uint64_t begin = 0;
  uint64_t end = count == 0 ? 0 : loader.buffer_bytes(0);
  if (header.num_frames() > 1 && count != 0) {
    const uint32_t segment = loader.node().segments[1];
    BOBBIN_ASSIGN(const Buffer zero, loader.segments().read(segment, 0, sizeof(uint32_t)));
    BOBBIN_ASSIGN(const Buffer index,
                  loader.segments().read(segment, first * sizeof(uint32_t), (count + 1) * sizeof(uint32_t)));
    uint32_t entries[3];
    std::memcpy(&entries[0], zero.bytes.data(), sizeof(uint32_t));
    std::memcpy(&entries[1], index.bytes.data(), sizeof(uint32_t));
    std::memcpy(&entries[2], index.bytes.data() + count * sizeof(uint32_t), sizeof(uint32_t));
    BOBBIN_RETURN_IF(entries[0] != 0 || entries[1] > entries[2], StatusCode::corrupt,
                     "zstd: frame offsets do not begin with 0, or descend");
    begin = entries[1];
    end = entries[2];
  }
  BOBBIN_TRY(loader.add_buffer(begin, end - begin));
  const uint64_t index = index_bytes(count);
  return loader.add_buffer(index == 0 ? 0 : first * sizeof(uint32_t), index);
}

Result<Array> load_strings(SliceLoader& loader, uint64_t begin, uint64_t length) {
  Array& part = loader.part;
  BOBBIN_ASSIGN(const Header header, checked_header(loader));
  BOBBIN_TRY(loader.add_child(begin, length + 1));
  const Array& offsets = part.children[0];
  BOBBIN_RETURN_IF(offsets.type != DType::u32 && offsets.type != DType::u64, StatusCode::corrupt,
                   "zstd: offsets of type " + std::string(to_string(offsets.type)));
  BOBBIN_TRY(loader.segments().validate(offsets));
  const Codec& codec = *find_codec(offsets.codec);
  const uint64_t from = codec.value_at(offsets, 0).bits;
  const uint64_t to = codec.value_at(offsets, length).bits;
  BOBBIN_RETURN_IF(to < from || to > header.stored, StatusCode::corrupt,
                   "zstd: offsets outside of the frames");
  const Kept kept = Kept::of(header, from, to);
  BOBBIN_TRY(add_frames(loader, header, kept));
  const bool has_nulls = loader.buffer_bytes(2) != 0;
  BOBBIN_TRY(loader.add_buffer(has_nulls ? loader.first_vector() * (kVectorLength / 8) : 0,
                               has_nulls ? validity_bytes(part) : 0));
  Header changed = header_of(header, kept, from, to, true);
  changed.base = from;
  part.metadata = changed.serialize();
  return std::move(part);
}

}  // namespace

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  return is_string(array.type) ? slice_strings(array, begin, length) : slice_numbers(array, begin, length);
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  const bool strings = is_string(node.type);
  BOBBIN_RETURN_IF(node.segments.size() != (strings ? 3 : 2) || node.children.size() != (strings ? 1 : 0),
                   StatusCode::corrupt, "zstd: parts are missing");
  if (strings) {
    return load_strings(loader, begin, length);
  }
  BOBBIN_ASSIGN(const Header header, checked_header(loader));
  const RowRange rows = rows_of(begin, length);
  const Kept kept = Kept::of(header, rows.begin, rows.end);
  BOBBIN_TRY(add_frames(loader, header, kept));
  loader.part.metadata = header_of(header, kept, rows.begin, rows.end, false).serialize();
  return std::move(loader.part);
}

}  // namespace bobbin::codec::zstd
