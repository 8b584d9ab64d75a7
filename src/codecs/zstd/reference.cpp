// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: all frames first, then value by value.
#include <cstring>
#include <vector>

#include "codecs/registry.hpp"
#include "codecs/zstd/array.hpp"

namespace bobbin::codec::zstd {
namespace {

uint64_t number_at(const uint8_t* from, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value |= uint64_t{from[i]} << (8 * i);
  }
  return value;
}

// What metadata says, in the order of spec.md.
struct Numbers {
  uint64_t frame_units;
  uint64_t width;
  uint64_t planes;
  uint64_t stored;
  uint64_t base;
  uint64_t skip;
  uint64_t left;

  explicit Numbers(const std::vector<uint8_t>& metadata)
      : frame_units(uint64_t{1} << metadata[0]),
        width(metadata[1]),
        planes(metadata[2]),
        stored(number_at(&metadata[3], 8)),
        base(number_at(&metadata[11], 8)),
        skip(number_at(&metadata[19], 8)),
        left(number_at(&metadata[27], 8)) {}
};

// The content of all frames, one after another.
Result<std::vector<std::byte>> all_content(const Array& array, const Numbers& numbers) {
  return bobbin::zstd::decode_all(array.buffers[0].bytes, numbers.stored * numbers.width,
                                  {.magicless = true});
}

}  // namespace

void reference(const Array& array, void* out) {
  const Numbers numbers(array.metadata);
  const size_t size = size_bytes(array.type);
  const auto content = all_content(array, numbers);
  if (!content.has_value() || content->size() != numbers.stored * numbers.width) {
    std::memset(out, 0, array.length * size);
    return;
  }
  const auto* const bytes = reinterpret_cast<const uint8_t*>(content->data());
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t row = numbers.skip + array.offset + i;
    const uint64_t group = row / numbers.frame_units;
    const uint64_t group_begin = group * numbers.frame_units;
    const uint64_t rest = numbers.stored - group_begin;
    const uint64_t rows = rest < numbers.frame_units ? rest : numbers.frame_units;
    uint64_t value = 0;
    for (uint64_t k = 0; k < numbers.width; ++k) {
      const uint64_t at = numbers.planes == 1 ? row * numbers.width + k
                                              : group_begin * numbers.width + k * rows + (row - group_begin);
      value |= uint64_t{bytes[at]} << (8 * k);
    }
    value += numbers.base;
    std::memcpy(static_cast<std::byte*>(out) + i * size, &value, size);
  }
}

Status reference(const Array& array, const HostStringsOut& out) {
  const Numbers numbers(array.metadata);
  const Array& child = array.children[0];
  const size_t size = size_bytes(child.type);
  std::vector<uint8_t> raw(child.length * size);
  find_codec(child.codec)->reference(child, raw.data());
  BOBBIN_ASSIGN(const std::vector<std::byte> content, all_content(array, numbers));
  BOBBIN_RETURN_IF(content.size() != numbers.stored, StatusCode::corrupt, "zstd: another size of content");
  BOBBIN_RETURN_IF(out.bytes.size() != numbers.stored - numbers.skip - numbers.left, StatusCode::corrupt,
                   "zstd: another size of strings");
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t begin = number_at(&raw[i * size], size) - numbers.base;
    const uint64_t end = number_at(&raw[(i + 1) * size], size) - numbers.base;
    BOBBIN_RETURN_IF(begin > end || end > out.bytes.size(), StatusCode::corrupt, "zstd: offsets descend");
    for (uint64_t at = begin; at < end; ++at) {
      out.bytes[at] = std::to_integer<uint8_t>(content[numbers.skip + at]);
    }
    out.ends[i] = out.base + end;
  }
  return {};
}

}  // namespace bobbin::codec::zstd
