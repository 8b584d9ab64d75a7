// SPDX-License-Identifier: Apache-2.0
// The seek table of zstd's seekable format: a skippable frame at the end that lists all frames' sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bobbin::zstd {

struct FrameSizes {
  uint32_t compressed;
  uint32_t content;
};

void append_seek_table(std::span<const FrameSizes> frames, std::vector<std::byte>& out);

}  // namespace bobbin::zstd
