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

Status reference_strings(const Array& array, const HostStringsOut& out) {
  const Array& dictionary = array.children[1];
  const StringOps& ops = *find_codec(dictionary.codec)->strings;
  const StringSizes sizes = ops.sizes(dictionary);
  std::vector<uint8_t> bytes(sizes.bytes);
  std::vector<uint64_t> ends(dictionary.length + 1);
  BOBBIN_TRY(ops.reference(dictionary, {ends.data() + 1, 0, bytes}));
  const std::vector<uint64_t> numbers = read_codes(array);
  uint64_t total = 0;
  for (const uint64_t number : numbers) {
    total += ends[number + 1] - ends[number];
  }
  BOBBIN_RETURN_IF(total != out.bytes.size(), StatusCode::corrupt,
                   "dict: other bytes of strings than expected");
  uint64_t at = 0;
  for (uint64_t i = 0; i < numbers.size(); ++i) {
    const uint64_t begin = ends[numbers[i]];
    const uint64_t end = ends[numbers[i] + 1];
    for (uint64_t b = begin; b < end; ++b) {
      out.bytes[at++] = bytes[b];
    }
    out.ends[i] = out.base + at;
  }
  return {};
}

}  // namespace bobbin::codec::dict
