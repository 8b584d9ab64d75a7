// SPDX-License-Identifier: Apache-2.0
// From the addresses of 32 lanes to lines: one access per line that the active lanes touch.
#pragma once

#include <array>
#include <cstdint>

#include "sim/machine.hpp"
#include "sim/program.hpp"

namespace bobbin::sim {

struct Coalesced {
  uint32_t count = 0;
  std::array<uint64_t, kLanes> line{};
  // Lanes of each line, for the bytes of stores.
  std::array<uint32_t, kLanes> lanes{};
};

// Lines in the order of the lowest lane that touches each. Accesses are aligned, so none spans two lines.
[[nodiscard]] Coalesced coalesce(const Instruction& instruction, const MemoryOperands& operands);

// The bytes that some lanes of a store write to their line; of equal addresses the highest lane's.
void collect_bytes(const Instruction& instruction, const MemoryOperands& operands, uint32_t lanes,
                   Payload& payload);

// Cycles that an access to shared memory takes: the most lanes that want different words of one bank.
[[nodiscard]] uint32_t bank_conflicts(const Instruction& instruction, const MemoryOperands& operands,
                                      uint32_t banks);

}  // namespace bobbin::sim
