// SPDX-License-Identifier: Apache-2.0
// LZ4's block format, for footers: names, trees and small segments repeat themselves. docs/format.md
// describes it; other LZ4 libraries read these blocks too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin::file {

// The same bytes give the same block. At most 2^31 bytes.
[[nodiscard]] std::vector<std::byte> compress_block(std::span<const std::byte> bytes);

// An error unless the block decompresses to exactly `size` bytes; the memory taken is at most that.
[[nodiscard]] Result<std::vector<std::byte>> decompress_block(std::span<const std::byte> block,
                                                              uint64_t size);

}  // namespace bobbin::file
