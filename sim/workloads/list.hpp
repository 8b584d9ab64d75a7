// SPDX-License-Identifier: Apache-2.0
// One function per file of workloads.
#pragma once

#include <vector>

#include "sim/workload.hpp"

namespace bobbin::sim {

void add_controls(std::vector<Workload>& all);

}  // namespace bobbin::sim
