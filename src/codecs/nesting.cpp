// SPDX-License-Identifier: Apache-2.0
#include "codecs/nesting.hpp"

#include "codecs/registry.hpp"

namespace bobbin {
namespace {

DType unsigned_of(DType type) {
  switch (size_bytes(type)) {
    case 1:
      return DType::u8;
    case 2:
      return DType::u16;
    case 4:
      return DType::u32;
    default:
      return DType::u64;
  }
}

}  // namespace

std::optional<size_t> looked_up_child(CodecId codec) {
  switch (codec) {
    case CodecId::rle:
    case CodecId::sparse:
      return 0;  // row numbers
    case CodecId::dict:
      return 1;  // entries
    default:
      return std::nullopt;
  }
}

DType child_type(CodecId codec, size_t child, DType type) {
  switch (codec) {
    case CodecId::rle:
    case CodecId::sparse:
      return child == 0 ? DType::u32 : type;
    case CodecId::dict:
      return child == 0 ? DType::u8 : type;
    case CodecId::zigzag:
      return unsigned_of(type);
    default:
      return type;
  }
}

namespace nesting {

std::optional<std::string> pair_fault(CodecId codec, DType type, CodecId inner) {
  const Codec* const outer_codec = find_codec(codec);
  const Codec* const inner_codec = find_codec(inner);
  if (outer_codec == nullptr || inner_codec == nullptr) {
    return std::nullopt;  // another check names unknown codecs
  }
  if (inner_codec->has_nulls()) {
    return std::string(outer_codec->name) + ": an array with nulls inside another";
  }
  // The sizes of a dictionary's strings are read from their metadata, which a second dictionary does not
  // have.
  if (is_string(type) && codec == CodecId::dict && inner == CodecId::dict) {
    return "dict: a dictionary of strings inside another";
  }
  return std::nullopt;
}

std::string too_many_lookups(uint32_t lookups) {
  return std::to_string(lookups) + " lookups inside each other, at most " + std::to_string(kMaxLookups) +
         " are allowed (rle and sparse look into their row numbers, dict into its entries)";
}

}  // namespace nesting
}  // namespace bobbin
