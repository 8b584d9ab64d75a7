// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/huffman_encode.hpp"

#include <algorithm>

#include "codecs/zstd/fse_encode.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kMaxNibbleWeights = 128;
constexpr size_t kMaxDescription = 127;

struct Leaf {
  uint64_t count;
  uint32_t symbol;
};

// Package-merge: the best code lengths of at most kMaxHuffmanBits. `leaves` ascend by count. An item of a
// level is a leaf, or a package of two items of the level below; the first 2n - 2 items of the last level are
// taken, and a leaf's length is how often it is among them or inside them.
std::vector<uint8_t> code_lengths(std::span<const Leaf> leaves) {
  const size_t n = leaves.size();
  struct Item {
    uint64_t count;
    bool package;
  };
  std::vector<std::vector<Item>> levels(kMaxHuffmanBits);
  for (size_t level = 0; level < kMaxHuffmanBits; ++level) {
    const std::vector<Item> below = level == 0 ? std::vector<Item>() : levels[level - 1];
    size_t leaf = 0;
    size_t pair = 0;
    while (leaf < n || pair + 1 < below.size()) {
      const uint64_t sum = pair + 1 < below.size() ? below[pair].count + below[pair + 1].count : UINT64_MAX;
      if (leaf < n && leaves[leaf].count <= sum) {
        levels[level].push_back({leaves[leaf++].count, false});
      } else {
        levels[level].push_back({sum, true});
        pair += 2;
      }
    }
  }
  std::vector<uint8_t> lengths(n);
  size_t taken = 2 * n - 2;
  for (size_t level = kMaxHuffmanBits; level-- > 0 && taken > 0;) {
    size_t packages = 0;
    for (size_t i = 0; i < taken; ++i) {
      packages += levels[level][i].package ? 1 : 0;
    }
    for (size_t leaf = 0; leaf < taken - packages; ++leaf) {
      ++lengths[leaf];
    }
    taken = 2 * packages;
  }
  return lengths;
}

std::vector<uint8_t> weights_of(const HuffmanCode& code, uint32_t longest) {
  std::vector<uint8_t> weights;
  for (const HuffmanCode::Symbol& symbol : code.symbols) {
    weights.push_back(static_cast<uint8_t>(symbol.bits == 0 ? 0 : longest + 1 - symbol.bits));
  }
  while (weights.back() == 0) {
    weights.pop_back();
  }
  return weights;
}

// Weights by two interleaved FSE states. Empty where that cannot be.
std::vector<uint8_t> describe_by_fse(std::span<const uint8_t> weights) {
  std::array<uint32_t, kMaxHuffmanBits + 1> occurrences{};
  for (const uint8_t weight : weights) {
    ++occurrences[weight];
  }
  const auto used =
      static_cast<uint32_t>(std::ranges::count_if(occurrences, [](uint32_t n) { return n > 0; }));
  if (used < 2 || weights.size() < 3) {
    return {};
  }
  const FseCounts counts = normalise(occurrences, choose_log(weights.size(), used, 6));
  std::vector<uint8_t> out{0};
  write_fse_counts(counts, out);
  BitWriter bits(out, weights.size() + 8);
  // Decoding alternates from the first weight on; encoding starts with the last two.
  std::array<FseEncoder, 2> states{FseEncoder(counts), FseEncoder(counts)};
  size_t i = weights.size();
  states[(i - 1) % 2].start(weights[i - 1]);
  states[(i - 2) % 2].start(weights[i - 2]);
  for (i -= 2; i-- > 0;) {
    states[i % 2].put(weights[i], bits);
  }
  states[1].finish(bits);
  states[0].finish(bits);
  bits.end_backward();
  out[0] = static_cast<uint8_t>(out.size() - 1);
  return out.size() - 1 <= kMaxDescription ? out : std::vector<uint8_t>();
}

std::vector<uint8_t> describe_by_nibbles(std::span<const uint8_t> weights) {
  if (weights.size() > kMaxNibbleWeights) {
    return {};
  }
  std::vector<uint8_t> out{static_cast<uint8_t>(127 + weights.size())};
  for (size_t i = 0; i < weights.size(); i += 2) {
    const uint32_t second = i + 1 < weights.size() ? weights[i + 1] : 0;
    out.push_back(static_cast<uint8_t>(uint32_t{weights[i]} << 4 | second));
  }
  return out;
}

// Codes ascend with the weight, and with the symbol among equal weights.
void assign_codes(HuffmanCode& code, uint32_t longest) {
  uint32_t next = 0;
  for (uint32_t bits = longest; bits > 0; --bits) {
    for (HuffmanCode::Symbol& symbol : code.symbols) {
      if (symbol.bits == bits) {
        symbol.code = static_cast<uint16_t>(next++);
      }
    }
    next >>= 1;
  }
}

}  // namespace

std::optional<HuffmanCode> make_huffman_code(const std::array<uint32_t, 256>& occurrences) {
  std::vector<Leaf> leaves;
  for (uint32_t s = 0; s < occurrences.size(); ++s) {
    if (occurrences[s] > 0) {
      leaves.push_back({occurrences[s], s});
    }
  }
  if (leaves.size() < 2) {
    return std::nullopt;
  }
  std::ranges::stable_sort(leaves, {}, &Leaf::count);
  const std::vector<uint8_t> lengths = code_lengths(leaves);
  HuffmanCode code;
  uint32_t longest = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    code.symbols[leaves[i].symbol].bits = lengths[i];
    longest = std::max<uint32_t>(longest, lengths[i]);
  }
  assign_codes(code, longest);
  std::vector<uint8_t> weights = weights_of(code, longest);
  weights.pop_back();  // implied
  code.description = describe_by_fse(weights);
  std::vector<uint8_t> nibbles = describe_by_nibbles(weights);
  if (code.description.empty() || (!nibbles.empty() && nibbles.size() < code.description.size())) {
    code.description = std::move(nibbles);
  }
  return code.description.empty() ? std::nullopt : std::optional(std::move(code));
}

HuffmanCode code_of_table(const HuffmanTable& table) {
  HuffmanCode code;
  for (uint32_t i = 0; i < uint32_t{1} << table.log; ++i) {
    const uint32_t bits = table.entries[i] % 256;
    code.symbols[table.entries[i] >> 8] = {static_cast<uint16_t>(i >> (table.log - bits)),
                                           static_cast<uint8_t>(bits)};
  }
  return code;
}

}  // namespace bobbin::zstd
