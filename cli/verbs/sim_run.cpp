// SPDX-License-Identifier: Apache-2.0
// bobbin sim run: one workload on one design.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.hpp"
#include "cli/sim/files.hpp"
#include "cli/sim/options.hpp"
#include "cli/sim/timeline.hpp"
#include "cli/sim/verbs.hpp"
#include "sim/energy.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kMostTimelineCycles = 20'000;  // a page of some megabytes

struct SimRunArgs {
  std::string workload;
  std::string design = "base";
  MachineOptions machine;
  uint64_t seed = 1;
  bool quick = false;
  bool as_json = false;
  std::string data;
  std::string timeline;
  uint64_t first_cycle = 2000;
  uint64_t num_cycles = 400;
  uint32_t sm = 0;
  bool force = false;
};

Json energy_json(const sim::RunResult& run) {
  const sim::Energy energy = energy_of(run);
  Json json;
  for (const sim::EnergyPart& part : sim::energy_parts()) {
    json[std::string(part.name)] = energy.*part.field;
  }
  json["total"] = energy.total();
  return json;
}

void print_json(const sim::RunResult& run) {
  Json json = Json::parse(sim::to_json(run));
  json["energy_joules"] = energy_json(run);
  print(bench::dump(json) + "\n");
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string issue_text(const sim::Counters& c) {
  const uint64_t all =
      c.active_cycles + c.compute_stalls + c.memory_stalls + c.dependence_stalls + c.idle_cycles;
  const auto share = [all](uint64_t part) {
    return all == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(all);
  };
  return fmt::format("active {:.1f} %, compute {:.1f} %, memory {:.1f} %, dependence {:.1f} %, idle {:.1f} %",
                     share(c.active_cycles), share(c.compute_stalls), share(c.memory_stalls),
                     share(c.dependence_stalls), share(c.idle_cycles));
}

void print_text(const sim::RunResult& run) {
  const sim::Counters& c = run.counters;
  const auto line = [](std::string_view name, const std::string& value) {
    print(fmt::format("{:<24}{}\n", name, value));
  };
  line("workload", fmt::format("{}{}", run.workload, run.quick ? " (quick)" : ""));
  line("design", run.design + (run.compression_disabled ? " (disabled by the profile)" : ""));
  line("ipc", fmt::format("{:.4f}", run.ipc()));
  line("core cycles", fmt::format("{}", c.core_cycles));
  line("instructions", fmt::format("{}", c.instructions));
  line("assist instructions", fmt::format("{}", c.assist_instructions));
  line("issue cycles", issue_text(c));
  line("DRAM utilisation", percent(run.dram_utilisation()));
  line("compression ratio", fmt::format("{:.3f}", run.compression_ratio()));
  line("L1 hit rate", percent(run.l1_hit_rate()));
  line("L2 hit rate", percent(run.l2_hit_rate()));
  line("metadata hit rate", percent(run.md_hit_rate()));
  line("energy", fmt::format("{:.4g} mJ, {:.4g} W", 1e3 * energy_of(run).total(), power(run)));
}

// Whether there is anything to show: better said than an empty page.
Status check_timeline(const SimRunArgs& args, const sim::Config& config, const sim::RunResult& run) {
  BOBBIN_RETURN_IF(args.sm >= config.gpu_sms, StatusCode::invalid_argument,
                   fmt::format("--sm: expected a number below gpu.sms ({})", config.gpu_sms));
  BOBBIN_RETURN_IF(args.first_cycle >= run.counters.core_cycles, StatusCode::invalid_argument,
                   fmt::format("--first-cycle: the run has {} cycles", run.counters.core_cycles));
  return {};
}

Status run_one(const SimRunArgs& args) {
  BOBBIN_ASSIGN(const sim::Workload* named, find_workload(args.workload));
  sim::Workload workload = *named;
  if (!args.data.empty()) {
    BOBBIN_ASSIGN(workload, with_data(*named, args.data));
  }
  BOBBIN_ASSIGN(const sim::Config config, make_config(args.machine));
  sim::EventLog log;
  log.first_cycle = args.first_cycle;
  log.end_cycle = args.first_cycle + args.num_cycles;
  log.sm = args.sm;
  sim::Options options;
  options.seed = args.seed;
  options.quick = args.quick;
  options.log = args.timeline.empty() ? nullptr : &log;
  BOBBIN_ASSIGN(const sim::RunResult run,
                simulate(config, workload, *sim::find_design(args.design), options));
  if (!args.timeline.empty()) {
    BOBBIN_TRY(check_timeline(args, config, run));
    BOBBIN_TRY(write_text(args.timeline, args.force, page::timeline_page(run, log)));
  }
  args.as_json ? print_json(run) : print_text(run);
  return {};
}

void add_timeline_options(const Verb& verb, SimRunArgs& args) {
  verb.add_option("--timeline", args.timeline,
                  "Write an HTML page that shows which warp of one SM issued in which cycle")
      .type_name("FILE");
  verb.add_option("--first-cycle", args.first_cycle, "First cycle of the timeline")
      .type_name("N")
      .between(0, UINT32_MAX)
      .show_default();
  verb.add_option("--cycles", args.num_cycles, "Number of cycles of the timeline")
      .type_name("N")
      .between(1, kMostTimelineCycles)
      .show_default();
  verb.add_option("--sm", args.sm, "SM that the timeline shows")
      .type_name("N")
      .between(0, 255)
      .show_default();
  add_force(verb, args.force).description("Overwrite the timeline's file");
}

}  // namespace

void add_sim_run(const Verb& sim, Action& action) {
  const Verb verb = sim.add_verb("run", "Simulate one workload on one design");
  auto args = std::make_shared<SimRunArgs>();
  verb.add_option("WORKLOAD", args->workload, "Name of a workload ('bobbin sim list' lists them)")
      .type_name("")
      .required();
  add_design_option(verb, args->design).show_default();
  add_machine_options(verb, args->machine);
  add_seed_option(verb, args->seed);
  verb.add_flag("--quick", args->quick, "Simulate a smaller problem");
  verb.add_option("--data", args->data,
                  "Folder with real data for KM (tables/weather.csv), SS and bfs (strings/wikipedia.txt)")
      .type_name("DIR");
  verb.add_flag("--json", args->as_json, "Print JSON with all counters");
  add_timeline_options(verb, *args);
  verb.footer(
      "The same command prints the same bytes every time.\n"
      "Examples:\n"
      "  bobbin sim run PVC --design caba-bdi --quick\n"
      "  bobbin sim run PVC --design caba-bdi --set dram.bandwidth_percent=50 --json\n"
      "  bobbin sim run bfs --design caba-bdi --quick --timeline bfs.html\n"
      "  bobbin sim run SS --design caba-bdi --data ../shared/data");
  verb.callback([args, &action] { action = [args] { return report(run_one(*args)); }; });
}

}  // namespace bobbin::cli
