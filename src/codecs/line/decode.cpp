// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/line/array.hpp"
#include "codecs/line/expand.hpp"

namespace bobbin::codec::line {
namespace {

uint32_t word_of(const std::byte* image, uint32_t i) {
  uint32_t word = 0;
  std::memcpy(&word, image + size_t{i} * 4, sizeof word);
  return word;
}

template <uint32_t kLineBytes>
BOBBIN_INLINE void expand_as(uint32_t code, const std::byte* image, std::byte* out) {
  for (uint32_t part = 0; part < kLineBytes / kPartBytes; ++part) {
    const Part words = expand_part(code, kLineBytes, part, [&](uint32_t i) { return word_of(image, i); });
    std::memcpy(out + size_t{part} * kPartBytes, words.word, kPartBytes);
  }
}

// The fixed codes are constants in their own loops.
template <uint32_t kLineBytes>
void expand_line(uint32_t code, const std::byte* image, std::byte* out) {
  switch (code) {
    case kRaw:
      std::memcpy(out, image, kLineBytes);
      return;
    case kZeros:
      std::memset(out, 0, kLineBytes);
      return;
    case 3:
      return expand_as<kLineBytes>(3, image, out);
    case 4:
      return expand_as<kLineBytes>(4, image, out);
    case 5:
      return expand_as<kLineBytes>(5, image, out);
    case 6:
      return expand_as<kLineBytes>(6, image, out);
    case 7:
      return expand_as<kLineBytes>(7, image, out);
    case 8:
      return expand_as<kLineBytes>(8, image, out);
    case kCpack:
      return expand_as<kLineBytes>(kCpack, image, out);
    default:
      return expand_as<kLineBytes>(code, image, out);
  }
}

// Bytes begin .. end-1 of the lines, counted from the array's first line, go to `out`.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::byte* out = nullptr;
};

template <uint32_t kLineBytes>
void decode_line(uint32_t code, const std::byte* image, uint64_t first, const Range& range) {
  if (first >= range.begin && first + kLineBytes <= range.end) {
    expand_line<kLineBytes>(code, image, range.out + (first - range.begin));
    return;
  }
  const uint64_t from = std::max(first, range.begin);
  const uint64_t to = std::min(first + kLineBytes, range.end);
  if (from < to) {
    std::byte line[kLineBytes];
    expand_line<kLineBytes>(code, image, line);
    std::memcpy(range.out + (from - range.begin), line + (from - first), to - from);
  }
}

template <uint32_t kLineBytes>
void decode_tiles(const Array& array, const Layout& layout, const Range& range) {
  const Parts parts(array);
  for (uint64_t t = 0; t < layout.tiles(array.offset + array.length); ++t) {
    const uint8_t* const codes = parts.codes + t * layout.tile_lines();
    const TileOrder order(codes, layout);
    for (uint32_t i = 0; i < order.count; ++i) {
      const uint64_t first = t * layout.tile_bytes() + uint64_t{order.line[i]} * kLineBytes;
      decode_line<kLineBytes>(codes[order.line[i]], parts.images + parts.start(t) + order.start[i], first,
                              range);
    }
  }
}

Status check_tile(const Array& array, const Layout& layout, uint64_t tile) {
  const Parts parts(array);
  const uint8_t* const codes = parts.codes + tile * layout.tile_lines();
  for (uint32_t i = 0; i < layout.tile_lines(); ++i) {
    BOBBIN_RETURN_IF(
        !is_valid(codes[i], layout.line_bytes), StatusCode::corrupt,
        "line: tile " + std::to_string(tile) + " has the unknown code " + std::to_string(codes[i]));
  }
  const TileOrder order(codes, layout);
  const uint64_t start = parts.start(tile);
  const uint64_t size = array.buffers[2].bytes.size();
  BOBBIN_RETURN_IF(start > size || order.bytes > size - start, StatusCode::corrupt,
                   "line: tile " + std::to_string(tile) + " ends after the images");
  for (uint32_t i = 0; i < order.count; ++i) {
    const uint32_t code = codes[order.line[i]];
    BOBBIN_RETURN_IF(code >= kFpc && !is_valid_fpc(word_of(parts.images + start + order.start[i], 0), code,
                                                   layout.line_bytes),
                     StatusCode::corrupt,
                     "line: the patterns of line " + std::to_string(order.line[i]) + " of tile " +
                         std::to_string(tile) + " contradict its code");
  }
  return {};
}

Status check_size(const Buffer& buffer, uint64_t expected, const std::string& name) {
  BOBBIN_RETURN_IF(buffer.bytes.size() != expected, StatusCode::corrupt,
                   "line: " + std::to_string(buffer.bytes.size()) + " bytes of " + name + ", expected " +
                       std::to_string(expected));
  return {};
}

}  // namespace

std::string describe(const Array& array) {
  const bool known =
      array.metadata.size() == 1 && array.metadata[0] >= kMinLineLog && array.metadata[0] <= kMaxLineLog;
  return known ? "lines of " + std::to_string(1 << array.metadata[0]) + " bytes" : "damaged";
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(array.metadata[0] < kMinLineLog || array.metadata[0] > kMaxLineLog, StatusCode::corrupt,
                   "line: lines of 2^" + std::to_string(array.metadata[0]) + " bytes");
  const Layout layout = Layout::of(array);
  const uint64_t tiles = layout.tiles(array.offset + array.length);
  BOBBIN_TRY(check_size(array.buffers[0], tiles * sizeof(uint32_t), "starts"));
  BOBBIN_TRY(check_size(array.buffers[1], tiles * layout.tile_lines(), "codes"));
  BOBBIN_RETURN_IF(array.buffers[2].bytes.size() % kStartBytes != 0, StatusCode::corrupt,
                   "line: " + std::to_string(array.buffers[2].bytes.size()) +
                       " bytes of images, expected a multiple of 16");
  for (uint64_t t = 0; t < tiles; ++t) {
    BOBBIN_TRY(check_tile(array, layout, t));
  }
  return {};
}

void decode(const Array& array, void* out) {
  const Layout layout = Layout::of(array);
  const Range range{array.offset * layout.value_bytes, (array.offset + array.length) * layout.value_bytes,
                    static_cast<std::byte*>(out)};
  with_line_words(layout.line_bytes, [&]<uint32_t kWords>(std::integral_constant<uint32_t, kWords>) {
    decode_tiles<kWords * 4>(array, layout, range);
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Layout layout = Layout::of(array);
  const Parts parts(array);
  const uint64_t at = (array.offset + index) * layout.value_bytes;
  const uint64_t tile = at / layout.tile_bytes();
  const auto line = static_cast<uint32_t>(at % layout.tile_bytes() / layout.line_bytes);
  const uint8_t* const codes = parts.codes + tile * layout.tile_lines();
  const TileOrder order(codes, layout);
  const auto place = static_cast<size_t>(std::find(order.line, order.line + order.count, line) - order.line);
  const std::byte* const image = parts.images + parts.start(tile) + order.start[place];
  const auto part = static_cast<uint32_t>(at % layout.line_bytes / kPartBytes);
  const Part words =
      expand_part(codes[line], layout.line_bytes, part, [&](uint32_t i) { return word_of(image, i); });
  Scalar value{};
  std::memcpy(&value.bits, reinterpret_cast<const std::byte*>(words.word) + at % kPartBytes,
              layout.value_bytes);
  return value;
}

}  // namespace bobbin::codec::line
