// SPDX-License-Identifier: Apache-2.0
// The oracle for frames, written from spec.md and RFC 8878 alone: one symbol at a time, as simple as
// possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin::codec::zstd::frame_reference {

struct Limits {
  uint64_t max_bytes = 0;                     // of content, all frames together
  uint64_t max_window = uint64_t{128} << 20;  // a frame that asks for more is refused
};

// The content of all frames; skippable ones are left out. An empty dictionary is none; one with the magic
// number of trained dictionaries has tables, any other is content only.
[[nodiscard]] Result<std::vector<std::byte>> decode(std::span<const std::byte> frames, const Limits& limits,
                                                    std::span<const std::byte> dictionary = {});

}  // namespace bobbin::codec::zstd::frame_reference
