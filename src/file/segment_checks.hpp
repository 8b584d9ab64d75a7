// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "file/checksum.hpp"
#include "file/footer.hpp"
#include "file/layout.hpp"

namespace bobbin::file {

// Checks segments against their checksums. In memory they are contiguous, each padded to kAlignment.
inline Status check_segments(const Footer& footer, std::span<const uint32_t> order,
                             std::span<const std::byte> bytes) {
  for (const uint32_t index : order) {
    const Segment& segment = footer.segments[index];
    const auto covered = bytes.first(occupied_bytes(segment.size, footer.version));
    BOBBIN_RETURN_IF(!segment.in_footer && checksum(covered) != segment.checksum, StatusCode::corrupt,
                     fmt::format("segment {} ({} bytes at {}): the checksum does not match", index,
                                 segment.size, segment.offset));
    bytes = bytes.subspan(padded(segment.size));
  }
  return {};
}

}  // namespace bobbin::file
