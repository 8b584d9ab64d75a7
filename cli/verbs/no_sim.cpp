// SPDX-License-Identifier: Apache-2.0
// bobbin sim, in a build without the simulator: says how to get it.
#include "cli/command.hpp"

namespace bobbin::cli {

void add_sim(const Parser& parser, Action& /*action*/) {
  const Verb verb = parser.add_verb("sim", "Simulate a GPU with assist warps (not in this build)");
  auto words = std::make_shared<std::vector<std::string>>();
  verb.add_list("ARGUMENTS", *words, "Ignored");
  verb.callback([words] {
    refuse("the simulator is not in this build; './dev build' makes one that has it (-DBOBBIN_SIM=ON)");
  });
}

}  // namespace bobbin::cli
