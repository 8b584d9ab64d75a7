// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"
#include "codecs/string_validity.hpp"
#include "codecs/zstd/strings.hpp"

namespace bobbin::codec::zstd {

std::vector<uint8_t> validity(const Array& array) {
  return validity_in(array, 2);
}

std::vector<uint64_t> lengths(const Array& array) {
  std::vector<uint64_t> offsets = decode_offsets(array);
  for (uint64_t i = 0; i < array.length; ++i) {
    offsets[i] = offsets[i + 1] - offsets[i];
  }
  offsets.pop_back();
  return offsets;
}

Status take(const Array& array, std::span<const uint64_t> indices, Strings& out) {
  const Header header = Header::parse(array.metadata);
  const Array& offsets = offsets_of(array);
  const Codec& codec = *find_codec(offsets.codec);
  Content content(array);
  for (const uint64_t index : indices) {
    if (is_null(array, index)) {
      out.push_null();
      continue;
    }
    const uint64_t begin = codec.value_at(offsets, index).bits - header.base + header.skip;
    const uint64_t end = codec.value_at(offsets, index + 1).bits - header.base + header.skip;
    BOBBIN_ASSIGN(const std::span<const uint8_t> bytes, content.bytes(begin, end));
    out.push_back(bytes);
  }
  return {};
}

}  // namespace bobbin::codec::zstd
