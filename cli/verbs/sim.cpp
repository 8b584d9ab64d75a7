// SPDX-License-Identifier: Apache-2.0
// bobbin sim: the assist-warp simulator. `sim list` is here, the other verbs have their own files.
#include <nlohmann/json.hpp>

#include "cli/format.hpp"
#include "cli/sim/verbs.hpp"
#include "sim/workload.hpp"

namespace bobbin::cli {
namespace {

int print_workloads(bool as_json) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> lines;
  for (const sim::Workload& workload : sim::workloads()) {
    list.push_back({{"name", workload.name},
                    {"class", to_string(workload.kind)},
                    {"represents", workload.represents},
                    {"description", workload.description}});
    lines.push_back({std::string(workload.name), std::string(to_string(workload.kind)),
                     std::string(workload.represents), std::string(workload.description)});
  }
  if (as_json) {
    print(bench::dump(list) + "\n");
  } else {
    print_table({"name", "class", "represents", "description"}, lines);
  }
  return kOk;
}

}  // namespace

void add_sim_list(const Verb& sim, Action& action) {
  const Verb verb =
      sim.add_verb("list", "List the workloads: proxies for the paper's applications, and controls");
  auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "Print JSON");
  verb.callback([as_json, &action] { action = [as_json] { return print_workloads(*as_json); }; });
}

void add_sim(const Parser& parser, Action& action) {
  const Verb sim = parser.add_verb("sim", "Simulate a GPU with assist warps that compress memory traffic");
  add_sim_list(sim, action);
  add_sim_run(sim, action);
  add_sim_sweep(sim, action);
  add_sim_paper(sim, action);
  add_sim_report(sim, action);
  sim.footer(
      "Examples:\n"
      "  bobbin sim list\n"
      "  bobbin sim run PVC --design caba-bdi --quick\n"
      "  bobbin sim paper --quick -o results.json\n"
      "  bobbin sim report results.json -o report.html\n"
      "docs/sim.md describes the model and its results.");
  sim.callback([&action] {
    if (!action) {
      refuse("sim needs a verb");
    }
  });
}

}  // namespace bobbin::cli
