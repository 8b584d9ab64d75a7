// SPDX-License-Identifier: Apache-2.0
// bobbin sim: the assist-warp simulator. `sim list` is here, the other verbs have their own files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.hpp"
#include "cli/sim/verbs.hpp"
#include "sim/memory.hpp"
#include "sim/workload.hpp"

namespace bobbin::cli {
namespace {

constexpr sim::Algorithm kAlgorithms[] = {sim::Algorithm::bdi, sim::Algorithm::fpc, sim::Algorithm::cpack,
                                          sim::Algorithm::best};

struct Args {
  bool as_json = false;
  bool measure = false;
};

// The ratio of DRAM bursts for the data before the first launch, by algorithm.
std::vector<double> measured_ratios(const sim::Workload& workload) {
  sim::Memory memory;
  [[maybe_unused]] const sim::WorkloadRun run = workload.setup(memory, 1, /*quick=*/true);
  std::vector<double> ratios;
  for (const sim::Algorithm algorithm : kAlgorithms) {
    ratios.push_back(sim::StoredImage(memory, algorithm, /*first_base=*/false).ratio());
  }
  return ratios;
}

Json to_json(const sim::Workload& workload, const std::vector<double>& ratios) {
  Json json = {{"name", workload.name},
               {"class", to_string(workload.kind)},
               {"represents", workload.represents},
               {"description", workload.description}};
  for (size_t i = 0; i < ratios.size(); ++i) {
    json["ratios"][std::string(to_string(kAlgorithms[i]))] = ratios[i];
  }
  return json;
}

std::vector<std::string> to_line(const sim::Workload& workload, const std::vector<double>& ratios) {
  std::vector<std::string> line = {std::string(workload.name), std::string(to_string(workload.kind)),
                                   std::string(workload.represents)};
  for (const double ratio : ratios) {
    line.push_back(fmt::format("{:.2f}", ratio));
  }
  line.emplace_back(workload.description);
  return line;
}

int print_workloads(const Args& args) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> lines;
  for (const sim::Workload& workload : sim::workloads()) {
    const std::vector<double> ratios = args.measure ? measured_ratios(workload) : std::vector<double>{};
    list.push_back(to_json(workload, ratios));
    lines.push_back(to_line(workload, ratios));
  }
  if (args.as_json) {
    print(bench::dump(list) + "\n");
  } else if (args.measure) {
    print_table({"name", "class", "represents", "bdi", "fpc", "cpack", "best", "description"}, lines,
                "lllrrrrl");
  } else {
    print_table({"name", "class", "represents", "description"}, lines);
  }
  return kOk;
}

}  // namespace

void add_sim_list(const Verb& sim, Action& action) {
  const Verb verb =
      sim.add_verb("list", "List the workloads: proxies for the paper's applications, and controls");
  auto args = std::make_shared<Args>();
  verb.add_flag("--json", args->as_json, "Print JSON");
  verb.add_flag("--measure", args->measure,
                "Also print the compression ratio of each workload's first data, by algorithm");
  verb.callback([args, &action] { action = [args] { return print_workloads(*args); }; });
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
