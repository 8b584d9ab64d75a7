// SPDX-License-Identifier: Apache-2.0
// One function per file of workloads, in the order of the list.
#pragma once

#include <vector>

#include "sim/workload.hpp"

namespace bobbin::sim {

void add_stencils(std::vector<Workload>& all);
void add_dense(std::vector<Workload>& all);
void add_sequences(std::vector<Workload>& all);
void add_map_reduce(std::vector<Workload>& all);
void add_graphs(std::vector<Workload>& all);
void add_formulas(std::vector<Workload>& all);
void add_trees(std::vector<Workload>& all);
void add_controls(std::vector<Workload>& all);
void add_compute(std::vector<Workload>& all);

}  // namespace bobbin::sim
