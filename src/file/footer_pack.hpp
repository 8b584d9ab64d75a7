// SPDX-License-Identifier: Apache-2.0
// Compression of footers: an LZ4 block, or a zstd frame for small footers, in which a few bytes count.
// Section 5.10 of docs/format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin::file {

struct PackedFooter {
  std::vector<std::byte> bytes;
  uint32_t plain_bytes = 0;  // as in the trailer
};

// The same bytes always give the same result. In a small table, frames are used for larger footers too.
[[nodiscard]] PackedFooter pack_footer(std::vector<std::byte> bytes, bool small_table = false);

// An error unless the footer decompresses to exactly the size that `plain_bytes` says, which is not 0 and
// which the trailer's check has bounded; allocates at most that much.
[[nodiscard]] Result<std::vector<std::byte>> unpack_footer(std::span<const std::byte> bytes,
                                                           uint32_t plain_bytes);

}  // namespace bobbin::file
