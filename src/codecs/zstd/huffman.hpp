// SPDX-License-Identifier: Apache-2.0
// Huffman-coded literals.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bobbin/status.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kMaxHuffmanBits = 11;

// What the next `log` bits of a stream stand for: a symbol (high byte), and how many of the bits it takes.
struct HuffmanTable {
  uint32_t log = 0;  // 0: no table yet
  std::array<uint16_t, size_t{1} << kMaxHuffmanBits> entries;
};

// Reads a tree from the start of `bytes` into `table` and sets `used` to its size.
[[nodiscard]] Status read_huffman_table(std::span<const uint8_t> bytes, HuffmanTable& table, size_t& used);

// Decodes literals from one stream or four. Up to 7 bytes after `bytes` must be readable.
[[nodiscard]] Status decode_one_stream(const HuffmanTable& table, std::span<const uint8_t> bytes,
                                       std::span<uint8_t> out);
[[nodiscard]] Status decode_four_streams(const HuffmanTable& table, std::span<const uint8_t> bytes,
                                         std::span<uint8_t> out);

}  // namespace bobbin::zstd
