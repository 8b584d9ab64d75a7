// SPDX-License-Identifier: Apache-2.0
// The codec of arrays: lines in tiles, see spec.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "codecs/codec.hpp"
#include "codecs/line/line.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::line {

inline constexpr uint32_t kMaxTileLines = 32;
// Starts of tiles are stored in these units.
inline constexpr uint32_t kStartBytes = 16;
inline constexpr uint64_t kMaxImageBytes = (uint64_t{1} << 32) * kStartBytes;

// How an array is cut into lines and tiles.
struct Layout {
  uint32_t line_bytes = 128;
  uint32_t value_bytes = 1;

  static Layout of(const Array& array) {
    return {uint32_t{1} << array.metadata[0], static_cast<uint32_t>(size_bytes(array.type))};
  }

  [[nodiscard]] BOBBIN_HD constexpr uint32_t tile_lines() const {
    const uint32_t in_vector = kVectorLength * value_bytes / line_bytes;
    return in_vector < kMaxTileLines ? in_vector : kMaxTileLines;
  }
  [[nodiscard]] BOBBIN_HD constexpr uint32_t tile_bytes() const { return tile_lines() * line_bytes; }
  [[nodiscard]] constexpr uint64_t vector_tiles() const {
    return uint64_t{kVectorLength} * value_bytes / tile_bytes();
  }
  // For this many values, from the start of a vector on.
  [[nodiscard]] constexpr uint64_t tiles(uint64_t values) const {
    return ceil_div<uint64_t>(values * value_bytes, tile_bytes());
  }
};

// Calls f with the number of words per line as a constant.
template <class F>
decltype(auto) with_line_words(uint32_t line_bytes, F&& f) {
  if (line_bytes == 128) {
    return f(std::integral_constant<uint32_t, 32>{});
  }
  if (line_bytes == 64) {
    return f(std::integral_constant<uint32_t, 16>{});
  }
  return f(std::integral_constant<uint32_t, 8>{});
}

// The lines of a tile in the order of their images, and where each image begins, counted from the tile's
// start.
struct TileOrder {
  uint32_t count = 0;
  uint16_t line[kMaxTileLines];
  uint32_t start[kMaxTileLines];  // by place in the order
  uint32_t bytes = 0;             // of all images

  TileOrder(const uint8_t* codes, const Layout& layout) : count(layout.tile_lines()) {
    for (uint32_t i = 0; i < count; ++i) {
      line[i] = static_cast<uint16_t>(uint32_t{codes[i]} << 8 | i);
    }
    std::sort(line, line + count);
    for (uint32_t i = 0; i < count; ++i) {
      start[i] = bytes;
      bytes += image_bytes(line[i] >> 8, layout.line_bytes);
      line[i] &= 0xff;
    }
  }
};

// Where a tile's images begin, in bytes. The starts may be unaligned in host memory.
[[nodiscard]] inline uint64_t start_of(const std::byte* starts, uint64_t tile) {
  uint32_t units = 0;
  std::memcpy(&units, starts + tile * sizeof(units), sizeof(units));
  return uint64_t{units} * kStartBytes;
}

// The array's buffers by name. They may be unaligned in host memory.
struct Parts {
  const std::byte* starts;
  const uint8_t* codes;
  const std::byte* images;

  explicit Parts(const Array& array)
      : starts(array.buffers[0].bytes.data()),
        codes(reinterpret_cast<const uint8_t*>(array.buffers[1].bytes.data())),
        images(array.buffers[2].bytes.data()) {}

  [[nodiscard]] uint64_t start(uint64_t tile) const { return start_of(starts, tile); }
};

// Encodes with lines of another size than 128 bytes.
[[nodiscard]] Result<Array> encode_lines(const Values& values, uint32_t line_bytes);
// Encodes lines of 128 bytes with those codes only that kernels read fastest: BDI with deltas of whole bytes.
[[nodiscard]] Result<Array> encode_for_reading(const Values& values);

}  // namespace bobbin::codec::line
