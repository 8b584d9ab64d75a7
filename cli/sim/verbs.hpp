// SPDX-License-Identifier: Apache-2.0
// The verbs of `bobbin sim`.
#pragma once

#include "cli/command.hpp"

namespace bobbin::cli {

void add_sim_list(const Verb& sim, Action& action);
void add_sim_run(const Verb& sim, Action& action);
void add_sim_sweep(const Verb& sim, Action& action);
void add_sim_paper(const Verb& sim, Action& action);
void add_sim_report(const Verb& sim, Action& action);

}  // namespace bobbin::cli
