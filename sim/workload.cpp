// SPDX-License-Identifier: Apache-2.0
#include "sim/workload.hpp"

#include <fmt/format.h>

namespace bobbin::sim {

std::string_view to_string(WorkloadClass kind) {
  constexpr std::string_view kNames[] = {"memory", "compute", "incompressible", "library"};
  return kNames[static_cast<size_t>(kind)];
}

Status check(const Launch& launch) {
  constexpr uint32_t kMaxBlockThreads = 1024;
  const bool whole_warps = launch.block_threads > 0 && launch.block_threads % kLanes == 0;
  if (launch.blocks == 0 || !whole_warps || launch.block_threads > kMaxBlockThreads) {
    return {StatusCode::invalid_argument,
            fmt::format("launch of {} blocks of {} threads: expected whole warps, at most {} threads",
                        launch.blocks, launch.block_threads, kMaxBlockThreads)};
  }
  if (launch.registers == 0 || launch.registers > 255) {
    return {StatusCode::invalid_argument,
            fmt::format("{} registers per thread, expected 1 to 255", launch.registers)};
  }
  return {};
}

std::vector<const Workload*> all_known_workloads() {
  std::vector<const Workload*> all;
  for (const std::span<const Workload> list : {workloads(), library_workloads()}) {
    for (const Workload& workload : list) {
      all.push_back(&workload);
    }
  }
  return all;
}

const Workload* find_workload(std::string_view name) {
  for (const Workload* workload : all_known_workloads()) {
    if (workload->name == name) {
      return workload;
    }
  }
  return nullptr;
}

}  // namespace bobbin::sim
