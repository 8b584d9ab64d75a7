// SPDX-License-Identifier: Apache-2.0
// The list of all workloads.
#include "sim/workloads/list.hpp"

namespace bobbin::sim {

std::span<const Workload> workloads() {
  static const std::vector<Workload> kAll = [] {
    std::vector<Workload> all;
    add_controls(all);
    return all;
  }();
  return kAll;
}

}  // namespace bobbin::sim
