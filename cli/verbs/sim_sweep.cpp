// SPDX-License-Identifier: Apache-2.0
// bobbin sim sweep: workloads, designs and values of parameters, all combinations.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/format.hpp"
#include "cli/progress.hpp"
#include "cli/sim/chart.hpp"
#include "cli/sim/options.hpp"
#include "cli/sim/verbs.hpp"
#include "sim/experiments.hpp"
#include "sim/report.hpp"

namespace bobbin::cli {
namespace {

constexpr size_t kMostRuns = 100'000;

struct SimSweepArgs {
  std::vector<std::string> workloads;
  std::vector<std::string> designs;
  MachineOptions machine;  // settings are name=a,b,c
  uint64_t seed = 1;
  uint32_t jobs = 0;
  bool quick = false;
  bool as_json = false;
  bool quiet = false;
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t end = text.find(','); end != std::string_view::npos; end = text.find(',')) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

// All combinations of the values: "a=1 b=1", "a=1 b=2", ...
Result<std::vector<std::string>> combinations(const std::vector<std::string>& settings) {
  std::vector<std::string> all = {""};
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    BOBBIN_RETURN_IF(equals == std::string::npos, StatusCode::invalid_argument,
                     fmt::format("--set: expected name=value,value..., found '{}'", setting));
    const std::string name = setting.substr(0, equals + 1);
    std::vector<std::string> longer;
    for (const std::string& before : all) {
      for (const std::string& value : split(std::string_view(setting).substr(equals + 1))) {
        longer.push_back(before + (before.empty() ? "" : " ") + name + value);
      }
    }
    BOBBIN_RETURN_IF(longer.size() > kMostRuns, StatusCode::invalid_argument,
                     fmt::format("--set: more than {} combinations", kMostRuns));
    all = std::move(longer);
  }
  return all;
}

Result<std::vector<sim::Design>> designs_of(const std::vector<std::string>& lists) {
  std::vector<sim::Design> designs;
  for (const std::string& list : lists.empty() ? std::vector<std::string>{"base,caba-bdi"} : lists) {
    for (const std::string& name : split(list)) {
      const std::optional<sim::Design> design = sim::find_design(name);
      if (!design) {
        return unknown_design(name);
      }
      designs.push_back(*design);
    }
  }
  return designs;
}

// Wrong values are reported before the first run.
Result<std::vector<sim::Case>> make_cases(const SimSweepArgs& args, const sim::Config& machine) {
  BOBBIN_ASSIGN(const std::vector<std::string> settings, combinations(args.machine.settings));
  BOBBIN_ASSIGN(const std::vector<sim::Design> designs, designs_of(args.designs));
  std::vector<sim::Case> cases;
  for (const std::string& name : args.workloads) {
    BOBBIN_ASSIGN(const sim::Workload* workload, find_workload(name));
    for (const std::string& setting : settings) {
      for (const sim::Design design : designs) {
        cases.push_back({std::string(workload->name), design, setting});
      }
    }
  }
  for (const sim::Case& one : cases) {
    const Result<sim::Config> config = config_of(machine, one);
    BOBBIN_TRY(with_suggestion(config.has_value() ? check(*config) : config.error()).in("--set"));
  }
  return cases;
}

Status run_all(const SimSweepArgs& args, const std::vector<sim::Case>& cases, sim::ResultSet& set) {
  Progress progress(fmt::format("{} runs", cases.size()), args.quiet);
  const sim::ResultSet setup = set;
  return run_cases(cases, setup, threads_of(args.jobs), [&](const sim::CaseOutcome& outcome) -> Status {
    progress.show_share(static_cast<double>(outcome.done) / static_cast<double>(cases.size()));
    if (!outcome.result.has_value()) {
      return outcome.result.error().in(to_string(outcome.one));
    }
    set.runs.emplace(outcome.one, *outcome.result);
    return Status();
  });
}

// NaN if Base is not among the designs.
double speedup_of(const sim::ResultSet& set, const sim::Case& one) {
  const std::string names[] = {one.workload};
  return values_of(set, names, {one.design, one.settings}, {sim::Design::base, one.settings}, sim::speedup)
      .front();
}

void print_json(const std::vector<sim::Case>& cases, const sim::ResultSet& set) {
  Json list = Json::array();
  for (const sim::Case& one : cases) {
    Json json = {{"settings", one.settings}};
    const double speedup = speedup_of(set, one);
    json["speedup"] = speedup == speedup ? Json(speedup) : Json(nullptr);
    json["result"] = Json::parse(to_json(set.runs.at(one)));
    list.push_back(std::move(json));
  }
  print(bench::dump(list) + "\n");
}

void print_lines(const std::vector<sim::Case>& cases, const sim::ResultSet& set) {
  std::vector<std::vector<std::string>> lines;
  for (const sim::Case& one : cases) {
    const sim::RunResult& run = set.runs.at(one);
    lines.push_back({one.workload, std::string(to_string(one.design)), one.settings,
                     fmt::format("{:.4f}", run.ipc()), page::value_text(speedup_of(set, one)),
                     fmt::format("{:.1f} %", 100 * run.dram_utilisation()),
                     fmt::format("{:.3f}", run.compression_ratio())});
  }
  print_table({"workload", "design", "settings", "ipc", "speed-up", "DRAM", "ratio"}, lines, "lllrrrr");
}

Status sweep(const SimSweepArgs& args) {
  sim::ResultSet set;
  MachineOptions plain = args.machine;
  plain.settings.clear();
  BOBBIN_ASSIGN(set.machine, make_config(plain));
  set.quick = args.quick;
  set.seed = args.seed;
  BOBBIN_ASSIGN(const std::vector<sim::Case> cases, make_cases(args, set.machine));
  BOBBIN_TRY(run_all(args, cases, set));
  args.as_json ? print_json(cases, set) : print_lines(cases, set);
  return {};
}

}  // namespace

void add_sim_sweep(const Verb& sim, Action& action) {
  const Verb verb = sim.add_verb("sweep", "Simulate workloads and designs for several values of parameters");
  auto args = std::make_shared<SimSweepArgs>();
  verb.add_list("WORKLOAD", args->workloads, "Names of workloads ('bobbin sim list' lists them)")
      .allow_extra_args()
      .type_name("")
      .required();
  verb.add_list("--design", args->designs, "Designs, separated by commas (default: base,caba-bdi)")
      .type_name("DESIGNS");
  add_machine_options(verb, args->machine);
  verb.option("--set").description("Values of a parameter, e.g. dram.channels=6,12 (repeatable)");
  add_seed_option(verb, args->seed);
  add_jobs_option(verb, args->jobs);
  verb.add_flag("--quick", args->quick, "Simulate smaller problems");
  verb.add_flag("--json", args->as_json, "Print JSON with all counters");
  add_quiet(verb, args->quiet);
  verb.footer(
      "Example:\n"
      "  bobbin sim sweep PVC bfs --design base,caba-bdi --set dram.bandwidth_percent=50,100,200 --quick");
  verb.callback([args, &action] { action = [args] { return report(sweep(*args)); }; });
}

}  // namespace bobbin::cli
