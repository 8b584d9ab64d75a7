// SPDX-License-Identifier: Apache-2.0
// bobbin sim: the assist-warp simulator. `sim list` is here, the other verbs have their own files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.hpp"
#include "cli/sim/options.hpp"
#include "cli/sim/verbs.hpp"
#include "sim/profile.hpp"
#include "sim/workload.hpp"

namespace bobbin::cli {
namespace {

constexpr sim::Algorithm kAlgorithms[] = {sim::Algorithm::bdi, sim::Algorithm::fpc, sim::Algorithm::cpack,
                                          sim::Algorithm::best};

struct SimArgs {
  bool as_json = false;
  bool measure = false;
};

Json to_json(const sim::Workload& workload) {
  return {{"name", workload.name},
          {"class", to_string(workload.kind)},
          {"represents", workload.represents},
          {"description", workload.description}};
}

void add_profile(const sim::WorkloadProfile& profile, Json& json) {
  json["instructions"] = profile.instructions;
  json["bytes_touched"] = profile.bytes_touched;
  json["intensity"] = profile.intensity;
  json["active_lanes"] = profile.active_lanes;
  for (const sim::Algorithm algorithm : kAlgorithms) {
    json["ratios"][std::string(to_string(algorithm))] = profile.ratio[static_cast<size_t>(algorithm)];
  }
}

std::vector<std::string> to_line(const sim::Workload& workload) {
  return {std::string(workload.name), std::string(to_string(workload.kind)), std::string(workload.represents),
          std::string(workload.description)};
}

std::vector<std::string> measured_line(const sim::Workload& workload, const sim::WorkloadProfile& profile) {
  std::vector<std::string> line = {std::string(workload.name), std::string(to_string(workload.kind))};
  for (const sim::Algorithm algorithm : kAlgorithms) {
    line.push_back(fmt::format("{:.2f}", profile.ratio[static_cast<size_t>(algorithm)]));
  }
  line.push_back(fmt::format("{:.2f}", profile.intensity));
  line.push_back(fmt::format("{:.1f}", profile.active_lanes));
  line.push_back(bench::human_bytes(profile.bytes_touched));
  return line;
}

Status print_measured(const SimArgs& args) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> lines;
  for (const sim::Workload* workload : sim::all_known_workloads()) {
    BOBBIN_ASSIGN(const sim::WorkloadProfile profile, profile_workload(*workload, 1, /*quick=*/true));
    list.push_back(to_json(*workload));
    add_profile(profile, list.back());
    lines.push_back(measured_line(*workload, profile));
  }
  if (args.as_json) {
    print(bench::dump(list) + "\n");
  } else {
    print_table({"name", "class", "bdi", "fpc", "cpack", "best", "operations/byte", "lanes", "data"}, lines,
                "llrrrrrrr");
  }
  return {};
}

int print_workloads(const SimArgs& args) {
  if (args.measure) {
    return report(print_measured(args));
  }
  Json list = Json::array();
  std::vector<std::vector<std::string>> lines;
  for (const sim::Workload* workload : sim::all_known_workloads()) {
    list.push_back(to_json(*workload));
    lines.push_back(to_line(*workload));
  }
  if (args.as_json) {
    print(bench::dump(list) + "\n");
  } else {
    print_table({"name", "class", "represents", "description"}, lines);
    if (sim::library_workloads().empty()) {
      print(std::string(kNoLibraryKernels) + "\n");
    }
  }
  return kOk;
}

}  // namespace

void add_sim_list(const Verb& sim, Action& action) {
  const Verb verb = sim.add_verb(
      "list", "List the workloads: proxies for the paper's applications, controls, and kernels of Bobbin");
  auto args = std::make_shared<SimArgs>();
  verb.add_flag("--json", args->as_json, "Print JSON");
  verb.add_flag(
      "--measure", args->measure,
      "Print properties of the quick workloads: compression ratios, operations per byte, active lanes");
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
