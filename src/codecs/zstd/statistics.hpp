// SPDX-License-Identifier: Apache-2.0
// How often each symbol occurs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codecs/zstd/parse.hpp"

namespace bobbin::zstd {

struct Statistics {
  std::array<uint32_t, 256> literals{};
  std::array<uint32_t, 36> literal_lengths{};
  std::array<uint32_t, 32> offsets{};
  std::array<uint32_t, 53> match_lengths{};

  Statistics() = default;
  explicit Statistics(std::span<const ParsedBlock> blocks) { add(blocks); }
  void add(std::span<const ParsedBlock> blocks);
};

}  // namespace bobbin::zstd
