// SPDX-License-Identifier: Apache-2.0
// The oracle: decodes a line as spec.md describes it, bit by bit and byte by byte, with its own arithmetic.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/line/array.hpp"

namespace bobbin::codec::line {
namespace {

using Image = std::span<const std::byte>;
using Bytes = std::vector<uint8_t>;

// Bits first .. first + count - 1 of the bytes, lowest first.
uint64_t bits_of(Image bytes, uint64_t first, uint64_t count) {
  uint64_t value = 0;
  for (uint64_t b = 0; b < count; ++b) {
    const auto byte = std::to_integer<uint64_t>(bytes[(first + b) / 8]);
    value |= (byte >> ((first + b) % 8) & 1) << b;
  }
  return value;
}

uint64_t bytes_of(Image bytes, uint64_t first, uint64_t count) {
  return bits_of(bytes, 8 * first, 8 * count);
}

uint64_t with_sign(uint64_t value, uint64_t bits) {
  const bool is_negative = (value >> (bits - 1) & 1) != 0;
  return is_negative && bits < 64 ? value - (uint64_t{1} << bits) : value;
}

void append(Bytes& line, uint64_t value, uint64_t count) {
  for (uint64_t b = 0; b < count; ++b) {
    line.push_back(static_cast<uint8_t>(value >> (8 * b)));
  }
}

// A row of the table of codes.
struct Class {
  enum class Kind : uint8_t { raw, zeros, repeat, bdi, cpack, fpc } kind = Kind::raw;
  uint64_t value_bytes = 0;  // of BDI
  uint64_t width = 0;
  uint64_t size = 0;
};

uint64_t words(uint64_t bits) {
  return 4 * ((bits + 31) / 32);
}

Class bdi(uint64_t value_bytes, uint64_t width, uint64_t line_bytes) {
  const uint64_t values = line_bytes / value_bytes;
  const uint64_t base = value_bytes == 8 ? 8 : 4;
  return {Class::Kind::bdi, value_bytes, width, base + words(values) + words(values * width)};
}

Class class_of(uint8_t code, uint64_t line_bytes) {
  switch (code) {
    case 0x00:
      return {Class::Kind::raw, 0, 0, line_bytes};
    case 0x01:
      return {Class::Kind::zeros, 0, 0, 0};
    case 0x02:
      return {Class::Kind::repeat, 0, 0, 8};
    case 0x03:
      return bdi(8, 8, line_bytes);
    case 0x04:
      return bdi(8, 16, line_bytes);
    case 0x05:
      return bdi(8, 32, line_bytes);
    case 0x06:
      return bdi(4, 8, line_bytes);
    case 0x07:
      return bdi(4, 16, line_bytes);
    case 0x08:
      return bdi(2, 8, line_bytes);
    case 0x09:
      return {Class::Kind::cpack, 0, 0, 12 + words(line_bytes / 4 * 2) + line_bytes / 4};
    default:
      break;
  }
  if (code >= 0x80) {
    return {Class::Kind::fpc, 0, 0, 4 * (uint64_t{code} - 0x80)};
  }
  const uint64_t width = code % 0x20;
  return bdi(code >= 0x60 ? 8 : code >= 0x40 ? 4 : 2, width, line_bytes);
}

Bytes bdi_line(const Class& shape, Image image, uint64_t line_bytes) {
  const uint64_t values = line_bytes / shape.value_bytes;
  const uint64_t mask_at = shape.value_bytes == 8 ? 8 : 4;
  const uint64_t base = bytes_of(image, 0, shape.value_bytes);
  Bytes line;
  for (uint64_t i = 0; i < values; ++i) {
    const bool is_relative = bits_of(image, 8 * mask_at + i, 1) != 0;
    const uint64_t deltas_at = 8 * (mask_at + words(values));
    const uint64_t delta = with_sign(bits_of(image, deltas_at + i * shape.width, shape.width), shape.width);
    append(line, (is_relative ? base : 0) + delta, shape.value_bytes);
  }
  return line;
}

// One word of an FPC' segment: `at` is where the segment begins, i counts its words.
uint64_t fpc_word(uint64_t pattern, Image image, uint64_t at, uint64_t i) {
  const auto low = [&] { return with_sign(bytes_of(image, at + 2 * i, 1), 8); };
  const auto high = [&] { return with_sign(bytes_of(image, at + 2 * i + 1, 1), 8); };
  switch (pattern) {
    case 0:
      return 0;
    case 2:
      return with_sign(bytes_of(image, at + i, 1), 8);
    case 3:
      return with_sign(bytes_of(image, at + 2 * i, 2), 16);
    case 4:
      return bytes_of(image, at + 2 * i, 2) * 65536;
    case 5:
      return low() % 65536 + high() % 65536 * 65536;
    case 6:
      return bytes_of(image, at + i, 1) * 0x01010101;
    default:
      return bytes_of(image, at + 4 * i, 4);
  }
}

Bytes fpc_line(Image image, uint64_t line_bytes) {
  constexpr uint64_t kSegmentBytes[] = {0, 0, 4, 8, 8, 8, 4, 16};
  Bytes line;
  uint64_t at = 4;
  for (uint64_t segment = 0; segment < line_bytes / 16; ++segment) {
    const uint64_t pattern = bits_of(image, 3 * segment, 3);
    for (uint64_t i = 0; i < 4; ++i) {
      append(line, fpc_word(pattern, image, at, i), 4);
    }
    at += kSegmentBytes[pattern];
  }
  return line;
}

Bytes cpack_line(Image image, uint64_t line_bytes) {
  const uint64_t count = line_bytes / 4;
  Bytes line;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t index = bits_of(image, 8 * 12 + 2 * i, 2);
    const uint64_t entry = index == 0 ? 0 : bytes_of(image, 4 * (index - 1), 4);
    const uint64_t low = bytes_of(image, 12 + words(2 * count) + i, 1);
    append(line, entry / 256 * 256 + low, 4);
  }
  return line;
}

Bytes line_of(const Class& shape, Image image, uint64_t line_bytes) {
  switch (shape.kind) {
    case Class::Kind::zeros:
      return Bytes(line_bytes, 0);
    case Class::Kind::bdi:
      return bdi_line(shape, image, line_bytes);
    case Class::Kind::fpc:
      return fpc_line(image, line_bytes);
    case Class::Kind::cpack:
      return cpack_line(image, line_bytes);
    default:
      break;
  }
  Bytes line;
  for (uint64_t i = 0; i < line_bytes; ++i) {
    append(line, bytes_of(image, i % shape.size, 1), 1);
  }
  return line;
}

}  // namespace

void reference(const Array& array, void* out) {
  const uint64_t line_bytes = uint64_t{1} << array.metadata[0];
  const uint64_t size = size_bytes(array.type);
  const uint64_t in_vector = 1024 * size / line_bytes;
  const uint64_t tile_lines = in_vector < 32 ? in_vector : 32;
  const uint64_t first_byte = array.offset * size;
  const uint64_t last_byte = (array.offset + array.length) * size;
  const auto code_at = [&](uint64_t i) { return std::to_integer<uint8_t>(array.buffers[1].bytes[i]); };
  auto* target = static_cast<uint8_t*>(out);
  for (uint64_t number = 0; number * line_bytes < last_byte; ++number) {
    const uint64_t tile = number / tile_lines;
    const Class shape = class_of(code_at(number), line_bytes);
    uint64_t at = 16 * bytes_of(array.buffers[0].bytes, 4 * tile, 4);
    for (uint64_t i = tile * tile_lines; i < (tile + 1) * tile_lines; ++i) {
      const bool comes_before = code_at(i) < code_at(number) || (code_at(i) == code_at(number) && i < number);
      at += comes_before ? class_of(code_at(i), line_bytes).size : 0;
    }
    const Bytes line = line_of(shape, array.buffers[2].bytes.subspan(at, shape.size), line_bytes);
    for (uint64_t i = 0; i < line_bytes; ++i) {
      const uint64_t place = number * line_bytes + i;
      if (place >= first_byte && place < last_byte) {
        target[place - first_byte] = line[i];
      }
    }
  }
}

}  // namespace bobbin::codec::line
