// SPDX-License-Identifier: Apache-2.0
// Workloads whose input comes from elsewhere: from the seed, or from files (real_data.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload.hpp"
#include "sim/workloads/graph.hpp"

namespace bobbin::sim {

inline constexpr uint32_t kPointDimensions = 4;
inline constexpr uint32_t kVocabulary = 96;

// Nodes must be a multiple of kBlockThreads.
[[nodiscard]] WorkloadRun run_bfs(Memory& memory, const Graph& graph);
// kPointDimensions numbers per point, below 2^14 in size; points must be a multiple of kBlockThreads.
[[nodiscard]] WorkloadRun run_km(Memory& memory, const std::vector<int32_t>& points);
// kVocabulary counts per document; documents must be a multiple of kBlockThreads / kLanes.
[[nodiscard]] WorkloadRun run_ss(Memory& memory, const std::vector<uint32_t>& documents);

}  // namespace bobbin::sim
