// SPDX-License-Identifier: Apache-2.0
// The oracle: decodes lines one at a time and reads their fields bit by bit, as spec.md describes them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/line/array.hpp"

namespace bobbin::codec::line {

namespace {

using Bytes = std::span<const std::byte>;
using LineBytes = std::vector<uint8_t>;

constexpr uint8_t kRaw = 0x00;
constexpr uint8_t kZeros = 0x01;
constexpr uint8_t kRepeat = 0x02;
constexpr uint8_t kCpack = 0x09;
constexpr uint8_t kFpc = 0x80;

// The number in `count` bits from bit `first` on, lowest bit first.
uint64_t read_bits(Bytes bytes, uint64_t first, uint64_t count) {
  uint64_t number = 0;
  for (uint64_t b = 0; b < count; ++b) {
    const uint64_t bit = first + b;
    const auto byte = std::to_integer<uint64_t>(bytes[bit / 8]);
    number |= ((byte >> (bit % 8)) & 1) << b;
  }
  return number;
}

uint64_t sign_extend(uint64_t number, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return (number & sign) != 0 ? number - 2 * sign : number;
}

void write_number(LineBytes& line, uint64_t start, uint64_t size, uint64_t number) {
  for (uint64_t b = 0; b < size; ++b) {
    line[start + b] = static_cast<uint8_t>(number >> (8 * b));
  }
}

struct Bdi {
  uint64_t value_bytes;
  uint64_t delta_bits;
};

Bdi bdi_of(uint8_t code) {
  switch (code) {
    case 0x03:
      return {8, 8};
    case 0x04:
      return {8, 16};
    case 0x05:
      return {8, 32};
    case 0x06:
      return {4, 8};
    case 0x07:
      return {4, 16};
    case 0x08:
      return {2, 8};
    default:
      break;
  }
  const uint64_t width = code % 0x20;
  if (code < 0x40) {
    return {2, width};
  }
  return code < 0x60 ? Bdi{4, width} : Bdi{8, width};
}

uint64_t bdi_base_size(Bdi bdi) {
  return std::max<uint64_t>(bdi.value_bytes, 4);
}

uint64_t bdi_mask_size(uint64_t values) {
  return 4 * ceil_div<uint64_t>(values, 32);
}

uint64_t cpack_index_size(uint64_t words) {
  return 4 * ceil_div<uint64_t>(words, 16);
}

uint64_t image_size(uint8_t code, uint64_t line_size) {
  if (code == kRaw) {
    return line_size;
  }
  if (code == kZeros) {
    return 0;
  }
  if (code == kRepeat) {
    return 8;
  }
  if (code == kCpack) {
    const uint64_t words = line_size / 4;
    return 12 + cpack_index_size(words) + words;
  }
  if (code >= kFpc) {
    return 4 * uint64_t{static_cast<uint8_t>(code - kFpc)};
  }
  const Bdi bdi = bdi_of(code);
  const uint64_t values = line_size / bdi.value_bytes;
  return bdi_base_size(bdi) + bdi_mask_size(values) + 4 * ceil_div<uint64_t>(values * bdi.delta_bits, 32);
}

// Raw lines are a period of the whole line.
void decode_period(Bytes image, uint64_t period, LineBytes& line) {
  for (uint64_t b = 0; b < line.size(); ++b) {
    line[b] = std::to_integer<uint8_t>(image[b % period]);
  }
}

void decode_bdi(Bytes image, Bdi bdi, LineBytes& line) {
  const uint64_t values = line.size() / bdi.value_bytes;
  const Bytes mask = image.subspan(bdi_base_size(bdi));
  const Bytes deltas = mask.subspan(bdi_mask_size(values));
  const uint64_t base = read_bits(image, 0, 8 * bdi.value_bytes);
  for (uint64_t i = 0; i < values; ++i) {
    const uint64_t delta = sign_extend(read_bits(deltas, i * bdi.delta_bits, bdi.delta_bits), bdi.delta_bits);
    const uint64_t value = (read_bits(mask, i, 1) != 0 ? base : 0) + delta;
    write_number(line, i * bdi.value_bytes, bdi.value_bytes, value);
  }
}

// Bits per word, by pattern. Pattern 1 does not exist.
constexpr std::array<uint64_t, 8> kFpcBits = {0, 0, 8, 16, 16, 16, 8, 32};

uint64_t fpc_word(uint64_t pattern, uint64_t stored) {
  switch (pattern) {
    case 2:
      return sign_extend(stored, 8);
    case 3:
      return sign_extend(stored, 16);
    case 4:
      return stored << 16;
    case 5:
      return (sign_extend(stored & 0xff, 8) & 0xffff) | (sign_extend(stored >> 8, 8) << 16);
    case 6:
      return stored * 0x01010101;
    default:
      return stored;
  }
}

void decode_fpc(Bytes image, LineBytes& line) {
  uint64_t bit = 32;
  for (uint64_t word = 0; word < line.size() / 4; ++word) {
    const uint64_t segment = word / 4;
    const uint64_t pattern = read_bits(image, 3 * segment, 3);
    const uint64_t stored = read_bits(image, bit, kFpcBits[pattern]);
    bit += kFpcBits[pattern];
    write_number(line, 4 * word, 4, fpc_word(pattern, stored));
  }
}

void decode_cpack(Bytes image, LineBytes& line) {
  const uint64_t words = line.size() / 4;
  const Bytes indexes = image.subspan(12);
  const Bytes low_bytes = indexes.subspan(cpack_index_size(words));
  for (uint64_t i = 0; i < words; ++i) {
    const uint64_t index = read_bits(indexes, 2 * i, 2);
    const uint64_t entry = index == 0 ? 0 : read_bits(image, 32 * (index - 1), 32);
    write_number(line, 4 * i, 4, (entry & 0xffffff00) | read_bits(low_bytes, 8 * i, 8));
  }
}

LineBytes decode_line(uint8_t code, Bytes image, uint64_t line_size) {
  LineBytes line(line_size, 0);
  if (code == kZeros) {
    return line;
  }
  if (code == kRaw) {
    decode_period(image, line_size, line);
  } else if (code == kRepeat) {
    decode_period(image, 8, line);
  } else if (code == kCpack) {
    decode_cpack(image, line);
  } else if (code >= kFpc) {
    decode_fpc(image, line);
  } else {
    decode_bdi(image, bdi_of(code), line);
  }
  return line;
}

// Where the image of line `j` begins, counted from the first image of its tile.
uint64_t place_in_tile(Bytes codes, uint64_t j, uint64_t line_size) {
  const auto own = std::to_integer<uint8_t>(codes[j]);
  uint64_t place = 0;
  for (uint64_t i = 0; i < codes.size(); ++i) {
    const auto code = std::to_integer<uint8_t>(codes[i]);
    if (code < own || (code == own && i < j)) {
      place += image_size(code, line_size);
    }
  }
  return place;
}

// LineBytes `index`, counted over all tiles that the array holds.
LineBytes read_line(const Array& array, uint64_t index) {
  const uint64_t line_size = uint64_t{1} << array.metadata[0];
  const uint64_t tile_lines = std::min<uint64_t>(32, 1024 * size_bytes(array.type) / line_size);
  const uint64_t tile = index / tile_lines;
  const uint64_t j = index % tile_lines;
  const Bytes codes = array.buffers[1].bytes.subspan(tile * tile_lines, tile_lines);
  const auto code = std::to_integer<uint8_t>(codes[j]);
  const uint64_t tile_start = 16 * read_bits(array.buffers[0].bytes, 32 * tile, 32);
  const uint64_t start = tile_start + place_in_tile(codes, j, line_size);
  const Bytes image = array.buffers[2].bytes.subspan(start, image_size(code, line_size));
  return decode_line(code, image, line_size);
}

}  // namespace

void reference(const Array& array, void* out) {
  if (array.length == 0) {
    return;
  }
  const uint64_t line_size = uint64_t{1} << array.metadata[0];
  const uint64_t begin = array.offset * size_bytes(array.type);
  const uint64_t end = begin + array.length * size_bytes(array.type);
  auto* target = static_cast<uint8_t*>(out);
  for (uint64_t index = begin / line_size; index * line_size < end; ++index) {
    const LineBytes line = read_line(array, index);
    const uint64_t line_begin = index * line_size;
    const uint64_t stop = std::min(end, line_begin + line_size);
    for (uint64_t byte = std::max(begin, line_begin); byte < stop; ++byte) {
      target[byte - begin] = line[byte - line_begin];
    }
  }
}

}  // namespace bobbin::codec::line
