// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: decodes all codes and entries, then looks up each row's entry.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/dict/dict.hpp"
#include "codecs/reference.hpp"

namespace bobbin::codec::dict {
namespace {

// Assumes little-endian numbers: narrower ones are copied to and from the lowest bytes of wider ones.
static_assert(std::endian::native == std::endian::little);

// Number `index` of those of `size` bytes, zero-extended.
uint64_t read_number(const std::vector<std::byte>& bytes, uint64_t index, uint64_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * size, size);
  return value;
}

// The index of each row's entry.
std::vector<uint64_t> read_entry_numbers(const Array& array) {
  const Array& codes = array.children[0];
  const uint64_t entries = array.children[1].length;
  const std::vector<std::byte> bytes = reference_values<std::byte>(codes);
  std::vector<uint64_t> numbers(array.length);
  for (uint64_t i = 0; i < array.length; ++i) {
    numbers[i] = std::min(read_number(bytes, i, size_bytes(codes.type)), entries - 1);
  }
  return numbers;
}

// Entry k has the bytes offsets[k] to offsets[k + 1] - 1; a null entry has none.
struct PlainEntries {
  std::vector<uint64_t> offsets;
  std::vector<uint8_t> bytes;
};

Result<PlainEntries> read_entries(const Array& dictionary) {
  const StringOps& codec = *find_codec(dictionary.codec)->strings;
  PlainEntries entries{.offsets = std::vector<uint64_t>(dictionary.length + 1),
                       .bytes = std::vector<uint8_t>(codec.sizes(dictionary).bytes)};
  BOBBIN_TRY(codec.reference(dictionary, {entries.offsets.data() + 1, 0, entries.bytes}));
  return entries;
}

}  // namespace

void reference(const Array& array, void* out) {
  const std::vector<uint64_t> numbers = read_entry_numbers(array);
  const std::vector<std::byte> dictionary = reference_values<std::byte>(array.children[1]);
  const size_t size = size_bytes(array.type);
  auto* target = static_cast<std::byte*>(out);
  for (uint64_t i = 0; i < array.length; ++i) {
    std::memcpy(target + i * size, dictionary.data() + numbers[i] * size, size);
  }
}

Status reference(const Array& array, const HostStringsOut& out) {
  const std::vector<uint64_t> numbers = read_entry_numbers(array);
  BOBBIN_ASSIGN(const PlainEntries entries, read_entries(array.children[1]));
  uint64_t place = 0;
  for (uint64_t i = 0; i < array.length; ++i) {
    for (uint64_t at = entries.offsets[numbers[i]]; at < entries.offsets[numbers[i] + 1]; ++at) {
      BOBBIN_RETURN_IF(place == out.bytes.size(), StatusCode::corrupt,
                       "dict: more string bytes than expected");
      out.bytes[place] = entries.bytes[at];
      ++place;
    }
    out.ends[i] = out.base + place;
  }
  return {};
}

}  // namespace bobbin::codec::dict
