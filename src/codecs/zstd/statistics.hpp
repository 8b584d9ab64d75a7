// SPDX-License-Identifier: Apache-2.0
// What sequences are coded as, and how often each symbol occurs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codecs/zstd/parse.hpp"

namespace bobbin::zstd {

// The symbol of a value, and how many of its bits are written out.
struct Coded {
  uint32_t symbol;
  uint32_t extra;
  uint32_t bits;
};
[[nodiscard]] Coded code_literals(uint32_t value);
[[nodiscard]] Coded code_match(uint32_t value);
[[nodiscard]] Coded code_offset(uint32_t value);

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
