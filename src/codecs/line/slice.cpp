// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/line/array.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::line {
namespace {

struct ByteRange {
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
};

// The images of a slice's tiles, whose codes need not be valid. They are not loaded yet.
ByteRange images_of(const Array& part, const Layout& layout, uint64_t tiles) {
  const auto* const codes = reinterpret_cast<const uint8_t*>(part.buffers[1].bytes.data());
  ByteRange all;
  for (uint64_t t = 0; t < tiles; ++t) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < layout.tile_lines(); ++i) {
      bytes += image_bytes(codes[t * layout.tile_lines() + i], layout.line_bytes);
    }
    const uint64_t start = start_of(part.buffers[0].bytes.data(), t);
    all.begin = std::min(all.begin, start);
    all.end = std::max(all.end, start + round_up<uint64_t>(bytes, kStartBytes));
  }
  return tiles == 0 ? ByteRange{0, 0} : all;
}

// Copies starts, reduced by `less` bytes, for images cut at the front.
Buffer shift_starts(const Buffer& starts, uint64_t tiles, uint64_t less) {
  const NewBuffer shifted = make_buffer(tiles * sizeof(uint32_t));
  for (uint64_t t = 0; t < tiles; ++t) {
    const auto units = static_cast<uint32_t>((start_of(starts.bytes.data(), t) - less) / kStartBytes);
    std::memcpy(shifted.data + t * sizeof units, &units, sizeof units);
  }
  return shifted.buffer;
}

}  // namespace

// The images stay whole: starts say where each tile is.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Layout layout = Layout::of(array);
  const uint64_t start = array.offset + begin;
  const uint64_t first = start / kVectorLength * layout.vector_tiles();
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  const uint64_t tiles = layout.tiles(part.offset + length);
  part.buffers[0] = array.buffers[0].sub(first * sizeof(uint32_t), tiles * sizeof(uint32_t));
  part.buffers[1] = array.buffers[1].sub(first * layout.tile_lines(), tiles * layout.tile_lines());
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  Array& part = loader.part;
  BOBBIN_RETURN_IF(part.metadata[0] < kMinLineLog || part.metadata[0] > kMaxLineLog, StatusCode::corrupt,
                   "line: lines of 2^" + std::to_string(part.metadata[0]) + " bytes");
  const Layout layout = Layout::of(part);
  const uint64_t first = loader.first_vector() * layout.vector_tiles();
  const uint64_t tiles = layout.tiles(part.offset + length);
  BOBBIN_TRY(loader.add_buffer(first * sizeof(uint32_t), tiles * sizeof(uint32_t)));
  BOBBIN_TRY(loader.add_buffer(first * layout.tile_lines(), tiles * layout.tile_lines()));
  const ByteRange images = images_of(part, layout, tiles);
  BOBBIN_TRY(loader.add_buffer(images.begin, images.end - images.begin));
  part.buffers[0] = shift_starts(part.buffers[0], tiles, images.begin);
  return std::move(part);
}

}  // namespace bobbin::codec::line
