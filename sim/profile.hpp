// SPDX-License-Identifier: Apache-2.0
// What a workload is like, measured without timing: how well its lines compress, how much it computes per
// byte, how its lanes diverge.
#pragma once

#include <array>
#include <cstdint>

#include "bobbin/status.hpp"
#include "sim/line_codec.hpp"
#include "sim/workload.hpp"

namespace bobbin::sim {

struct WorkloadProfile {
  uint64_t launches = 0;
  uint64_t instructions = 0;         // of warps
  uint64_t memory_instructions = 0;  // loads, stores and atomics of global memory
  uint64_t line_accesses = 0;        // lines of those instructions, after coalescing
  uint64_t bytes_touched = 0;        // lines that are accessed at all
  double active_lanes = 0;           // mean over instructions
  double intensity = 0;              // ALU and SFU operations of lanes per byte that lanes access
  // By Algorithm: bursts raw over compressed, of the lines that are read as they were before the run, and of
  // those that are written as they are after it.
  std::array<double, 5> ratio{};
};

[[nodiscard]] bobbin::Result<WorkloadProfile> profile_workload(const Workload& workload, uint64_t seed,
                                                               bool quick);

}  // namespace bobbin::sim
