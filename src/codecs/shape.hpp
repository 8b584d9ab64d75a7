// SPDX-License-Identifier: Apache-2.0
// Checks nodes against the shapes that their codecs declare.
#pragma once

#include <cstddef>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

// The type of a child in an array of `type`; if there is a choice, the smallest.
[[nodiscard]] DType child_type(ChildType child, DType type);

// Checks that a node has as many parts as its codec says, also for nodes in a file.
[[nodiscard]] Status check_parts(const Codec& codec, size_t metadata_bytes, size_t buffers, size_t children);

// Checks that a node has the shape that its codec declares: its type, the number and sizes of its parts, and
// its children's codecs, types and lengths. Does not look inside the parts.
[[nodiscard]] Status check_shape(const Array& array);

// The same, followed by the codec's own validate().
[[nodiscard]] Status validate_node(const Array& array);

// For Codec::slice: the node of a slice, with sliced children where they have a value per row. Buffers and
// other children are unchanged, for the codec to cut.
[[nodiscard]] Array slice_rows(const Array& array, uint64_t begin, uint64_t length);

}  // namespace bobbin
