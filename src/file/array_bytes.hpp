// SPDX-License-Identifier: Apache-2.0
// An encoded array as one run of bytes, for other processes and other machines. docs/format.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/status.hpp"
#include "codecs/codec.hpp"

namespace bobbin::file {

// The array is in host memory, and no node of it is a slice.
[[nodiscard]] std::vector<std::byte> pack_array(const Array& array);
// Checked completely: the checksum, the tree's shape, and by its codecs. Trees in which a node has more
// values than max_length are refused.
[[nodiscard]] Result<Array> unpack_array(std::span<const std::byte> bytes, uint64_t max_length);

}  // namespace bobbin::file
