// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "codecs/alprd/alprd.hpp"
#include "codecs/batches.hpp"

namespace bobbin::codec::alprd {

std::string describe(const Array& array) {
  return array.metadata.size() < 2 ? "damaged" : "cut at bit " + std::to_string(array.metadata[0]);
}

Status validate(const Array& array) {
  const auto& metadata = array.metadata;
  BOBBIN_RETURN_IF(metadata.size() < 2, StatusCode::corrupt,
                   "alprd: metadata has " + std::to_string(metadata.size()) + " bytes");
  const uint32_t bits = size_bits(array.type);
  BOBBIN_RETURN_IF(metadata[0] < bits - kMostLeftBits || metadata[0] >= bits, StatusCode::corrupt,
                   "alprd: invalid right part width: " + std::to_string(metadata[0]) + " bits");
  BOBBIN_RETURN_IF(metadata[1] < 1 || metadata[1] > kMostEntries, StatusCode::corrupt,
                   "alprd: invalid dictionary size: " + std::to_string(metadata[1]) + " entries");
  BOBBIN_RETURN_IF(metadata.size() != 2 + metadata[1] * sizeof(uint16_t), StatusCode::corrupt,
                   "alprd: metadata has " + std::to_string(metadata.size()) + " bytes");
  const Cut cut = parse_cut(metadata);
  for (uint32_t j = 0; j < cut.entries; ++j) {
    const bool repeated = std::find(cut.dict, cut.dict + j, cut.dict[j]) != cut.dict + j;
    const bool too_large = cut.dict[j] >> (bits - cut.right_bits) != 0;
    BOBBIN_RETURN_IF(repeated || too_large || (cut.dict[j] < cut.entries && cut.dict[j] != j),
                     StatusCode::corrupt,
                     "alprd: dictionary entry " + std::to_string(j) + " is repeated or out of range");
  }
  return {};
}

void decode(const Array& array, void* out) {
  const Array& left = array.children[0];
  const Codec& left_codec = *find_codec(left.codec);
  const Cut cut = parse_cut(array.metadata);
  visit_size(array.type, [&]<class T>(std::type_identity<T>) {
    decode_in_batches(
        array.children[1], static_cast<std::byte*>(out), [&](uint64_t v, const DecodedBatch& decoded) {
          const uint64_t begin = std::max(v * kVectorLength, array.offset);
          const uint64_t end = std::min((v + 1) * kVectorLength, array.offset + array.length);
          std::array<uint16_t, kVectorLength> codes;
          left_codec.decode(left_codec.slice(left, begin - array.offset, end - begin), codes.data());
          std::byte* const values = decoded.at(begin - array.offset);
          for (uint64_t i = 0; i < end - begin; ++i) {
            T value;
            std::memcpy(&value, values + i * sizeof value, sizeof value);
            value = cut.join<T>(codes[i], value);
            std::memcpy(values + i * sizeof value, &value, sizeof value);
          }
        });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const auto part = [&](const Array& child) { return find_codec(child.codec)->value_at(child, index).bits; };
  const Cut cut = parse_cut(array.metadata);
  return visit_size(array.type, [&]<class T>(std::type_identity<T>) {
    return Scalar{
        cut.join<T>(static_cast<uint32_t>(part(array.children[0])), static_cast<T>(part(array.children[1])))};
  });
}

}  // namespace bobbin::codec::alprd
