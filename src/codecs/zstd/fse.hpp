// SPDX-License-Identifier: Apache-2.0
// Finite-state entropy tables: reading their descriptions, and building the tables that decode.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bobbin/status.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kMaxFseSymbols = 256;

// How often each symbol occurs among 2^log; -1 means "less than once".
struct FseCounts {
  std::array<int16_t, kMaxFseSymbols> count{};
  uint32_t num_symbols = 0;
  uint32_t log = 0;
};

// Reads a description from the start of `bytes` and sets `used` to its size.
[[nodiscard]] Result<FseCounts> read_fse_counts(std::span<const uint8_t> bytes, uint32_t max_log,
                                                uint32_t max_symbols, size_t& used);

// One state: the symbol it stands for, and where it goes: `next` plus the value of `bits` more bits.
struct FseState {
  uint8_t symbol = 0;
  uint8_t bits = 0;
  uint16_t next = 0;
};

// Writes the 2^log states that these counts describe.
void build_fse_states(const FseCounts& counts, std::span<FseState> states);

}  // namespace bobbin::zstd
