// SPDX-License-Identifier: Apache-2.0
// From bytes to sequences: which matches a frame uses. Each block is parsed on its own: its matches end with
// it, and it refers to a recent offset only once it has written that offset itself, so that blocks can be
// parsed and decoded independently.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codecs/zstd/match.hpp"

namespace bobbin::zstd {

// Copy `literals` bytes, then `match` bytes from where `offset_value` says: 1 to 3 for a recent offset, or 3
// more than the offset itself.
struct CodedSequence {
  uint32_t literals;
  uint32_t match;
  uint32_t offset_value;
};

struct ParsedBlock {
  std::vector<uint8_t> literals;
  std::vector<CodedSequence> sequences;
};

// What a level spends its time on.
struct ParseSettings {
  uint32_t short_key;        // bytes
  bool long_key;             // 8 bytes as well
  uint32_t chain;            // how many earlier positions of the short key are tried
  uint32_t lazy;             // how many positions further on a better match is looked for
  bool lazy_by_long{false};  // only if the long key finds it
};

// From 1 to 9.
[[nodiscard]] constexpr ParseSettings settings_of(uint32_t level) {
  if (level <= 2) {
    return {.short_key = 5, .long_key = false, .chain = 1, .lazy = 0};
  }
  if (level == 3) {
    return {.short_key = 5, .long_key = true, .chain = 1, .lazy = 1, .lazy_by_long = true};
  }
  if (level <= 5) {
    return {.short_key = 4, .long_key = true, .chain = 1, .lazy = 2};
  }
  return {.short_key = 4, .long_key = true, .chain = level <= 8 ? 16u : 64u, .lazy = 2};
}

// One parsed block for each `block_bytes` of the frame.
[[nodiscard]] std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes,
                                                   uint32_t level);

// The same after a dictionary, into which matches may reach.
[[nodiscard]] std::vector<ParsedBlock> parse_frame(std::span<const uint8_t> frame, uint32_t block_bytes,
                                                   uint32_t level, std::span<const uint8_t> dictionary,
                                                   DictionaryLinks& links);

}  // namespace bobbin::zstd
