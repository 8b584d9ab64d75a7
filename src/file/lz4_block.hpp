// SPDX-License-Identifier: Apache-2.0
// LZ4's block format, for footers, where names, trees and small segments repeat. docs/format.md describes it;
// other LZ4 libraries can read these blocks too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin::file {

// The same bytes always give the same block. At most 2^31 bytes.
[[nodiscard]] std::vector<std::byte> compress_block(std::span<const std::byte> bytes);

// An error unless the block decompresses to exactly `size` bytes; allocates at most that much.
[[nodiscard]] Result<std::vector<std::byte>> decompress_block(std::span<const std::byte> block,
                                                              uint64_t size);

}  // namespace bobbin::file
