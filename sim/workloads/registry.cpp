// SPDX-License-Identifier: Apache-2.0
// The list of all workloads.
#include <algorithm>
#include <array>

#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// The order of the paper's figures; others follow in the order of their files.
constexpr std::array<std::string_view, 20> kPaperOrder = {"BFS", "CONS", "JPEG", "LPS", "MUM", "RAY", "SLA",
                                                          "TRA", "hs",   "nw",   "KM",  "MM",  "PVC", "PVR",
                                                          "SS",  "bfs",  "bh",   "mst", "sp",  "sssp"};

[[nodiscard]] std::vector<Workload> in_order(std::vector<Workload> all) {
  const auto rank = [](const Workload& workload) {
    return std::find(kPaperOrder.begin(), kPaperOrder.end(), workload.name) - kPaperOrder.begin();
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Workload& a, const Workload& b) { return rank(a) < rank(b); });
  return all;
}

}  // namespace

std::span<const Workload> workloads() {
  static const std::vector<Workload> kAll = [] {
    std::vector<Workload> all;
    add_stencils(all);
    add_dense(all);
    add_sequences(all);
    add_map_reduce(all);
    add_graphs(all);
    add_formulas(all);
    add_trees(all);
    add_controls(all);
    add_compute(all);
    return in_order(std::move(all));
  }();
  return kAll;
}

}  // namespace bobbin::sim
