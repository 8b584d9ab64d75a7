// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "codecs/line/array.hpp"
#include "codecs/line/write.hpp"

namespace bobbin::codec::line {
namespace {

constexpr uint32_t kLineBytes = 128;

// The values as lines; those past the end are zeros.
template <uint32_t kWords>
class Lines {
 public:
  explicit Lines(const Values& values)
      : bytes_(static_cast<const std::byte*>(values.data)), size_(values.length * size_bytes(values.type)) {}

  [[nodiscard]] uint64_t count() const { return ceil_div<uint64_t>(size_, kWords * 4); }
  [[nodiscard]] Line<kWords> operator[](uint64_t i) const {
    Line<kWords> line{};
    const uint64_t first = i * kWords * 4;
    std::memcpy(line.word, bytes_ + first, std::min<uint64_t>(sizeof line, size_ - first));
    return line;
  }

 private:
  const std::byte* bytes_;
  uint64_t size_;
};

uint64_t padded(uint64_t bytes) {
  return round_up<uint64_t>(bytes, kStartBytes);
}

// Writes the images of a tile, in order, and zeros up to the next multiple of 16 bytes.
template <Algorithms kTried, uint32_t kWords>
void write_tile(const Lines<kWords>& lines, uint64_t first, const Plan* plans, const TileOrder& order,
                std::byte* to) {
  for (uint32_t i = 0; i < order.count; ++i) {
    const uint64_t line = first + order.line[i];
    if (line < lines.count()) {
      write_image<kTried>(lines[line], plans[line], [&](uint32_t at, uint32_t word) {
        std::memcpy(to + order.start[i] + size_t{at} * 4, &word, sizeof word);
      });
    }
  }
  std::fill(to + order.bytes, to + padded(order.bytes), std::byte{0});
}

template <uint32_t kWords, Algorithms kTried>
Result<Array> encode_with(const Values& values, const Layout& layout) {
  const Lines<kWords> lines(values);
  const uint64_t tiles = layout.tiles(values.length);
  const uint32_t tile_lines = layout.tile_lines();
  const NewBuffer starts = make_buffer(tiles * sizeof(uint32_t));
  const NewBuffer codes = make_buffer(tiles * tile_lines);
  auto* const code_of = reinterpret_cast<uint8_t*>(codes.data);
  std::fill_n(code_of, tiles * tile_lines, static_cast<uint8_t>(kZeros));
  std::vector<Plan> plans(lines.count());
  for (uint64_t i = 0; i < lines.count(); ++i) {
    plans[i] = choose<kTried>(lines[i]);
    code_of[i] = static_cast<uint8_t>(plans[i].code);
  }
  std::vector<uint64_t> bytes_before(tiles + 1);
  for (uint64_t t = 0; t < tiles; ++t) {
    const auto units = static_cast<uint32_t>(bytes_before[t] / kStartBytes);
    std::memcpy(starts.data + t * sizeof units, &units, sizeof units);
    bytes_before[t + 1] = bytes_before[t] + padded(TileOrder(code_of + t * tile_lines, layout).bytes);
    BOBBIN_RETURN_IF(bytes_before[t + 1] > kMaxImageBytes, StatusCode::unsupported,
                     "line: more than 64 GiB of images: split the array");
  }
  const NewBuffer images = make_buffer(bytes_before[tiles]);
  for (uint64_t t = 0; t < tiles; ++t) {
    write_tile<kTried>(lines, t * tile_lines, plans.data(), TileOrder(code_of + t * tile_lines, layout),
                       images.data + bytes_before[t]);
  }
  return Array{.codec = CodecId::line,
               .type = values.type,
               .length = values.length,
               .offset = 0,
               .metadata = {static_cast<uint8_t>(bit_width_of(layout.line_bytes) - 1)},
               .buffers = {starts.buffer, codes.buffer, images.buffer},
               .children = {}};
}

}  // namespace

uint64_t estimate(const Values& values) {
  const Layout layout{kLineBytes, static_cast<uint32_t>(size_bytes(values.type))};
  const Lines<kLineBytes / 4> lines(values);
  uint64_t bytes = 1 + layout.tiles(values.length) * (sizeof(uint32_t) + layout.tile_lines());
  uint64_t in_tile = 0;
  for (uint64_t i = 0; i < lines.count(); ++i) {
    in_tile += image_bytes(choose(lines[i]).code, kLineBytes);
    if ((i + 1) % layout.tile_lines() == 0 || i + 1 == lines.count()) {
      bytes += padded(in_tile);
      in_tile = 0;
    }
  }
  return bytes;
}

bool exceeds(const Values& values, uint64_t bytes) {
  constexpr uint64_t kShare = 4;
  return kShare * estimate({values.type, values.data, values.length / kShare}) > bytes;
}

Result<Array> encode_lines(const Values& values, uint32_t line_bytes) {
  const Layout layout{line_bytes, static_cast<uint32_t>(size_bytes(values.type))};
  return with_line_words(line_bytes, [&]<uint32_t kWords>(std::integral_constant<uint32_t, kWords>) {
    return encode_with<kWords, kBest>(values, layout);
  });
}

Result<Array> encode_for_reading(const Values& values) {
  return encode_with<kLineBytes / 4, kForReading>(
      values, {kLineBytes, static_cast<uint32_t>(size_bytes(values.type))});
}

Result<Array> encode(const Values& values) {
  return encode_lines(values, kLineBytes);
}

}  // namespace bobbin::codec::line
