// SPDX-License-Identifier: Apache-2.0
#include "sim/coalescer.hpp"

#include <algorithm>
#include <cstring>

namespace bobbin::sim {

Coalesced coalesce(const Instruction& instruction, const MemoryOperands& operands) {
  Coalesced out;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((instruction.mask >> lane & 1) == 0) {
      continue;
    }
    const uint64_t line = Memory::line_of(operands.address[lane]);
    // Neighbouring lanes are mostly in the line that was found last.
    uint32_t at = out.count;
    while (at > 0 && out.line[at - 1] != line) {
      --at;
    }
    if (at == 0) {
      out.line[out.count] = line;
      out.lanes[out.count] = 0;
      at = ++out.count;
    }
    out.lanes[at - 1] |= 1U << lane;
  }
  return out;
}

void collect_bytes(const Instruction& instruction, const MemoryOperands& operands, uint32_t lanes,
                   Payload& payload) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((lanes >> lane & 1) == 0) {
      continue;
    }
    const auto first = static_cast<uint32_t>((operands.address[lane] - Memory::kFirst) % kLineBytes);
    std::memcpy(payload.bytes.data() + first, &operands.value[lane], instruction.width);
    for (uint32_t i = 0; i < instruction.width; ++i) {
      payload.mask.set(first + i);
    }
  }
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
