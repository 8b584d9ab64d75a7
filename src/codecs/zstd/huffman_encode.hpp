// SPDX-License-Identifier: Apache-2.0
// Huffman codes of at most 11 bits: building, describing and writing them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codecs/zstd/huffman.hpp"

namespace bobbin::zstd {

struct HuffmanCode {
  struct Symbol {
    uint16_t code = 0;
    uint8_t bits = 0;  // 0: the symbol does not occur
  };
  std::array<Symbol, 256> symbols{};
  std::vector<uint8_t> description;  // the tree as a block stores it
};

// Nothing where fewer than two symbols occur or no description can hold the tree.
[[nodiscard]] std::optional<HuffmanCode> make_huffman_code(const std::array<uint32_t, 256>& occurrences);

// The code that a decoding table reads; without a description.
[[nodiscard]] HuffmanCode code_of_table(const HuffmanTable& table);

}  // namespace bobbin::zstd
