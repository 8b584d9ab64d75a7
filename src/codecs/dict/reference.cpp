// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: one row after another, each by its code.
#include <cstring>
#include <vector>

#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::dict {
namespace {

using Bytes = std::vector<std::byte>;

// The number of each row's entry.
std::vector<uint64_t> read_codes(const Array& array) {
  const Array& codes = array.children[0];
  const size_t size = size_bytes(codes.type);
  Bytes raw(codes.length * size);
  find_codec(codes.codec)->reference(codes, raw.data());
  std::vector<uint64_t> numbers(codes.length);
  for (uint64_t i = 0; i < codes.length; ++i) {
    std::memcpy(&numbers[i], raw.data() + i * size, size);
    if (numbers[i] >= array.children[1].length) {
      numbers[i] = array.children[1].length - 1;
    }
  }
  return numbers;
}

}  // namespace

void reference(const Array& array, void* out) {
  const Array& dictionary = array.children[1];
  const size_t size = size_bytes(array.type);
  Bytes entries(dictionary.length * size);
  find_codec(dictionary.codec)->reference(dictionary, entries.data());
  auto* to = static_cast<std::byte*>(out);
  for (const uint64_t number : read_codes(array)) {
    std::memcpy(to, entries.data() + number * size, size);
    to += size;
  }
}

Status reference_strings(const Array& array, const StringsOut& out) {
  const Array& dictionary = array.children[1];
  const StringOps& ops = *find_codec(dictionary.codec)->strings;
  const StringSizes sizes = ops.sizes(dictionary);
  const size_t offset_size = sizes.wide ? 8 : 4;
  Bytes raw_offsets((dictionary.length + 1) * offset_size);
  std::vector<uint8_t> bytes(sizes.bytes);
  BOBBIN_TRY(ops.reference(dictionary, {raw_offsets.data(), bytes.data()}));
  std::vector<uint64_t> ends(dictionary.length + 1);
  for (uint64_t i = 0; i <= dictionary.length; ++i) {
    std::memcpy(&ends[i], raw_offsets.data() + i * offset_size, offset_size);
  }
  const std::vector<uint64_t> numbers = read_codes(array);
  uint64_t total = 0;
  for (const uint64_t number : numbers) {
    total += ends[number + 1] - ends[number];
  }
  const size_t out_size = total > INT32_MAX ? 8 : 4;
  auto* const offsets = static_cast<std::byte*>(out.offsets);
  uint64_t at = 0;
  std::memcpy(offsets, &at, out_size);
  for (uint64_t i = 0; i < numbers.size(); ++i) {
    const uint64_t begin = ends[numbers[i]];
    const uint64_t end = ends[numbers[i] + 1];
    for (uint64_t b = begin; b < end; ++b) {
      out.bytes[at++] = bytes[b];
    }
    std::memcpy(offsets + (i + 1) * out_size, &at, out_size);
  }
  return {};
}

}  // namespace bobbin::codec::dict
