// SPDX-License-Identifier: Apache-2.0
#include "cli/sim/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "bobbin/text.hpp"

namespace bobbin::cli {
namespace {

std::vector<std::string> parameter_names() {
  std::vector<std::string> names;
  for (const sim::Parameter& parameter : sim::parameters()) {
    names.emplace_back(parameter.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> design_names() {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < sim::kNumDesigns; ++i) {
    names.emplace_back(to_string(static_cast<sim::Design>(i)));
  }
  return names;
}

Status unknown_design(const std::string& name) {
  return {StatusCode::invalid_argument,
          fmt::format("unknown design '{}'{}", name, did_you_mean(name, design_names()))};
}

void add_machine_options(const Verb& verb, MachineOptions& options) {
  verb.add_option("--config", options.config, "Machine: paper, hopper, or a file of name = value lines")
      .type_name("FILE")
      .show_default();
  verb.add_list("--set", options.settings,
                "Change a parameter of the machine, e.g. dram.channels=12 (repeatable)")
      .type_name("NAME=VALUE");
}

void add_seed_option(const Verb& verb, uint64_t& seed) {
  verb.add_option("--seed", seed, "Seed of the workloads' data")
      .type_name("N")
      .between(0, UINT32_MAX)
      .show_default();
}

void add_jobs_option(const Verb& verb, uint32_t& jobs) {
  verb.add_option("-j,--jobs", jobs, "Simulations to run in parallel (0: one per core)")
      .type_name("N")
      .between(0, 1024)
      .show_default();
}

uint32_t threads_of(uint32_t jobs) {
  return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

Option add_design_option(const Verb& verb, std::string& design) {
  return verb.add_option("--design", design, "Design to simulate")
      .one_of("design", design_names())
      .type_name("DESIGN");
}

Status with_suggestion(const Status& status) {
  constexpr std::string_view kUnknown = "unknown parameter ";
  const size_t at = status.message().find(kUnknown);
  if (at == std::string::npos) {
    return status;
  }
  const std::string name = status.message().substr(at + kUnknown.size());
  return {status.code(), status.message() + did_you_mean(name, parameter_names())};
}

Result<sim::Config> make_config(const MachineOptions& options) {
  Result<sim::Config> config = sim::load_config(options.config);
  if (!config.has_value()) {
    return with_suggestion(config.error());
  }
  for (const std::string& setting : options.settings) {
    BOBBIN_TRY(with_suggestion(sim::set_parameter(*config, setting)).in("--set"));
  }
  BOBBIN_TRY(check(*config));
  return config;
}

Result<const sim::Workload*> find_workload(const std::string& name) {
  const sim::Workload* workload = sim::find_workload(name);
  if (workload != nullptr) {
    return workload;
  }
  const auto kernels = sim::library_workload_names();
  if (std::find(kernels.begin(), kernels.end(), name) != kernels.end()) {
    return Status(StatusCode::unavailable, fmt::format("workload '{}': {}", name, kNoLibraryKernels));
  }
  std::vector<std::string> names;
  for (const sim::Workload* each : sim::all_known_workloads()) {
    names.emplace_back(each->name);
  }
  const std::string meant = did_you_mean(name, names);
  return Status(
      StatusCode::invalid_argument,
      fmt::format("unknown workload '{}'{}", name, meant.empty() ? "; 'bobbin sim list' lists them" : meant));
}

}  // namespace bobbin::cli
