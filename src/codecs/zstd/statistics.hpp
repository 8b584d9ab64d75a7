// SPDX-License-Identifier: Apache-2.0
// What sequences are coded as, and how often each symbol occurs.
#pragma once

#include <array>
#include <bit>
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

// Symbols of literal lengths from 16 on, and of match lengths from 32 above the shortest on: up to a point by
// these tables, then one for each power of two. The bits written out are always the value's lowest.
inline constexpr std::array<uint8_t, 48> kLiteralSymbols{
    16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 22,
    23, 23, 23, 23, 23, 23, 23, 23, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24};
inline constexpr std::array<uint8_t, 9> kLiteralBits{1, 1, 1, 1, 2, 2, 3, 3, 4};
inline constexpr std::array<uint8_t, 96> kMatchSymbols{
    32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 36, 36, 37, 37, 37, 37, 38, 38, 38, 38, 38, 38, 38, 38,
    39, 39, 39, 39, 39, 39, 39, 39, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 42, 42, 42, 42, 42, 42, 42, 42,
    42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42};
inline constexpr std::array<uint8_t, 11> kMatchBits{1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5};

[[nodiscard]] inline Coded low_bits_of(uint32_t value, uint32_t symbol, uint32_t bits) {
  return {symbol, value & ((uint32_t{1} << bits) - 1), bits};
}

[[nodiscard]] inline Coded code_literals(uint32_t value) {
  if (value < 16) {
    return {value, 0, 0};
  }
  if (value < 64) {
    const uint32_t symbol = kLiteralSymbols[value - 16];
    return low_bits_of(value, symbol, kLiteralBits[symbol - 16]);
  }
  const auto width = static_cast<uint32_t>(std::bit_width(value));
  return low_bits_of(value, width + 18, width - 1);
}

[[nodiscard]] inline Coded code_match(uint32_t value) {
  const uint32_t above = value - 3;
  if (above < 32) {
    return {above, 0, 0};
  }
  if (above < 128) {
    const uint32_t symbol = kMatchSymbols[above - 32];
    return low_bits_of(above, symbol, kMatchBits[symbol - 32]);
  }
  const auto width = static_cast<uint32_t>(std::bit_width(above));
  return low_bits_of(above, width + 35, width - 1);
}

[[nodiscard]] inline Coded code_offset(uint32_t value) {
  const auto bits = static_cast<uint32_t>(std::bit_width(value)) - 1;
  return low_bits_of(value, bits, bits);
}

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
