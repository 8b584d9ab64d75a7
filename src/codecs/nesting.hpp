// SPDX-License-Identifier: Apache-2.0
// Which codecs may be nested. Only this file decides it: the choice of cascades, their parser, the encoders
// and validate() all ask here, so that nothing is written that a reader rejects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bobbin/types.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

// `rle` and `sparse` find a value by a search in their row numbers, `dict` by its entry. Nested lookups
// multiply the work per value, if each happens inside the child that another one searches. Two cost little;
// unlimited depth would take forever.
inline constexpr uint32_t kMaxLookups = 2;

// The index of the child that a codec searches for every value; none for most codecs.
[[nodiscard]] std::optional<size_t> looked_up_child(CodecId codec);

// The type of a codec's child, for values of `type`. Codes of a dictionary have one of three types, which the
// same codecs support: u8 is used for all of them. For a child that does not exist, `type`.
[[nodiscard]] DType child_type(CodecId codec, size_t child, DType type);

// Number of nested lookups at the deepest place of a tree (anything with a codec and children: an Array, a
// Cascade, a file's Node).
template <class Tree>
[[nodiscard]] uint32_t num_lookups(const Tree& tree) {
  const std::optional<size_t> looked_up = looked_up_child(tree.codec);
  uint32_t most = looked_up.has_value() ? 1 : 0;
  for (size_t i = 0; i < tree.children.size(); ++i) {
    most = std::max(most, num_lookups(tree.children[i]) + (looked_up == i ? 1 : 0));
  }
  return most;
}

namespace nesting {

// For one codec inside another that holds values of `type`.
[[nodiscard]] std::optional<std::string> pair_fault(CodecId codec, DType type, CodecId inner);
[[nodiscard]] std::string too_many_lookups(uint32_t lookups);

template <class Tree>
[[nodiscard]] std::optional<std::string> fault_of_pairs(const Tree& tree, DType type) {
  for (size_t i = 0; i < tree.children.size(); ++i) {
    const Tree& child = tree.children[i];
    std::optional<std::string> fault = pair_fault(tree.codec, type, child.codec);
    fault = fault.has_value() ? fault : fault_of_pairs(child, child_type(tree.codec, i, type));
    if (fault.has_value()) {
      return fault;
    }
  }
  return std::nullopt;
}

}  // namespace nesting

// Why a tree whose root holds values of `type` is not allowed; nothing if it is.
template <class Tree>
[[nodiscard]] std::optional<std::string> nesting_fault(const Tree& tree, DType type) {
  const uint32_t lookups = num_lookups(tree);
  return lookups > kMaxLookups ? nesting::too_many_lookups(lookups) : nesting::fault_of_pairs(tree, type);
}

}  // namespace bobbin
