// SPDX-License-Identifier: Apache-2.0
#include "sim/coalescer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/byte_mask.hpp"

namespace bobbin::sim {

Coalesced coalesce(const Instruction& instruction, const MemoryOperands& operands) {
  Coalesced out;
  // Places in `out` of the lines found, from 1, by a hash of the line: at most half of the table is full.
  constexpr uint32_t kHashBits = 6;
  constexpr uint32_t kHashes = 1U << kHashBits;
  static_assert(kHashes == 2 * kLanes);
  std::array<uint8_t, kHashes> places{};
  for (uint32_t left = instruction.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t line = Memory::line_of(operands.address[lane]);
    auto hash = static_cast<uint32_t>(line * 0x9e37'79b9'7f4a'7c15ULL >> (64 - kHashBits));
    while (places[hash] != 0 && out.line[places[hash] - 1U] != line) {
      hash = (hash + 1) % kHashes;
    }
    if (places[hash] == 0) {
      places[hash] = static_cast<uint8_t>(++out.count);
      out.line[out.count - 1] = line;
    }
    out.lanes[places[hash] - 1U] |= 1U << lane;
  }
  return out;
}

void collect_bytes(const Instruction& instruction, const MemoryOperands& operands, uint32_t lanes,
                   Payload& payload) {
  MaskWords mask{};
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const auto first = static_cast<uint32_t>((operands.address[lane] - Memory::kFirst) % kLineBytes);
    std::memcpy(payload.bytes.data() + first, &operands.value[lane], instruction.width);
    mask[first / 64] |= ((uint64_t{1} << instruction.width) - 1) << first % 64;  // aligned: in one word
  }
  payload.mask |= mask_of(mask);
}

uint32_t bank_conflicts(const Instruction& instruction, const MemoryOperands& operands, uint32_t banks) {
  std::array<uint32_t, kLanes> words{};
  std::array<uint8_t, kLanes> count{};
  uint32_t num_words = 0;
  uint32_t most = 1;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const auto word = static_cast<uint32_t>(operands.address[lane] / 4);
    const bool seen = std::find(words.begin(), words.begin() + num_words, word) != words.begin() + num_words;
    if ((instruction.mask >> lane & 1) != 0 && !seen) {
      words[num_words++] = word;
      most = std::max<uint32_t>(most, ++count[word % banks]);
    }
  }
  return most * std::max(1U, instruction.width / 4U);
}

}  // namespace bobbin::sim
