// SPDX-License-Identifier: Apache-2.0
#include "codecs/nesting.hpp"

#include <algorithm>

#include "codecs/registry.hpp"
#include "codecs/shape.hpp"

namespace bobbin {

std::optional<size_t> looked_up_child(CodecId codec) {
  const Codec* const found = find_codec(codec);
  const auto children = found == nullptr ? std::span<const ChildShape>{} : found->shape.children;
  const auto child = std::ranges::find(children, true, &ChildShape::looked_up);
  return child == children.end() ? std::nullopt
                                 : std::optional(static_cast<size_t>(child - children.begin()));
}

DType child_type(CodecId codec, size_t child, DType type) {
  const Codec* const found = find_codec(codec);
  return found == nullptr || child >= found->shape.children.size()
             ? type
             : child_type(found->shape.children[child].type, type);
}

namespace nesting {

std::optional<std::string> pair_fault(CodecId codec, DType type, CodecId inner) {
  const Codec* const outer_codec = find_codec(codec);
  const Codec* const inner_codec = find_codec(inner);
  if (outer_codec == nullptr || inner_codec == nullptr) {
    return std::nullopt;  // reported by another check
  }
  if (inner_codec->has_nulls()) {
    return std::string(outer_codec->name) + ": arrays with nulls cannot be nested";
  }
  // Sizes of a dictionary's strings are read from their metadata, which a second dictionary does not have.
  if (is_string(type) && codec == CodecId::dict && inner == CodecId::dict) {
    return "dict: string dictionaries cannot be nested";
  }
  return std::nullopt;
}

std::string too_many_lookups(uint32_t lookups) {
  return std::to_string(lookups) + " nested lookups, at most " + std::to_string(kMaxLookups) +
         " are allowed (rle and sparse look into their row numbers, dict into its entries)";
}

}  // namespace nesting
}  // namespace bobbin
