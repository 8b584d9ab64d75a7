// SPDX-License-Identifier: Apache-2.0
// Checks of nodes against the shape that their codecs declare.
#pragma once

#include <cstddef>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

// The type of a child, in an array of `type`; where there is a choice, the smallest.
[[nodiscard]] DType child_type(ChildType child, DType type);

// Whether a node has as many parts as its codec says; a node in a file has them too.
[[nodiscard]] Status check_parts(const Codec& codec, size_t metadata_bytes, size_t buffers, size_t children);

// Whether a node has the shape that its codec declares: its type, the parts' numbers and sizes, and its
// children's codecs, types and lengths. Nothing is checked inside the parts.
[[nodiscard]] Status check_shape(const Array& array);

// The same, then what the codec's own validate() checks.
[[nodiscard]] Status validate_node(const Array& array);

// For Codec::slice: the node of a slice, with those of its children sliced that have a value for each row.
// Everything else is as in `array`: buffers and other children are the codec's to cut.
[[nodiscard]] Array slice_rows(const Array& array, uint64_t begin, uint64_t length);

}  // namespace bobbin
