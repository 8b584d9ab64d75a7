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

// Holds segments whose bytes follow each other, padding included, against their checksums.
inline Status check_segments(const Footer& footer, std::span<const uint32_t> order,
                             std::span<const std::byte> bytes) {
  for (const uint32_t index : order) {
    const Segment& segment = footer.segments[index];
    BOBBIN_RETURN_IF(checksum(bytes.first(padded(segment.size))) != segment.checksum, StatusCode::corrupt,
                     fmt::format("segment {} ({} bytes at {}): the checksum does not match", index,
                                 segment.size, segment.offset));
    bytes = bytes.subspan(padded(segment.size));
  }
  return {};
}

}  // namespace bobbin::file
