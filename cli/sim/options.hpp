// SPDX-License-Identifier: Apache-2.0
// What the verbs of `bobbin sim` share: the machine, the workload and the design, each found by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "cli/verb.hpp"
#include "sim/simulate.hpp"

namespace bobbin::cli {

struct MachineOptions {
  std::string config = "paper";
  std::vector<std::string> settings;  // name=value
};

void add_machine_options(const Verb& verb, MachineOptions& options);
void add_seed_option(const Verb& verb, uint64_t& seed);
// 0 is one simulation per core.
void add_jobs_option(const Verb& verb, uint32_t& jobs);
[[nodiscard]] uint32_t threads_of(uint32_t jobs);
Option add_design_option(const Verb& verb, std::string& design);

// Wrong names give one line with the nearest one.
[[nodiscard]] Result<sim::Config> make_config(const MachineOptions& options);
// The error about an unknown parameter, with the nearest name.
[[nodiscard]] Status with_suggestion(const Status& status);
// Why a build has no workloads of class library.
inline constexpr std::string_view kNoLibraryKernels =
    "kernels of Bobbin run in the emulator, which is not in this build; configure a static library with "
    "-DBOBBIN_EMULATOR=ON";
[[nodiscard]] Result<const sim::Workload*> find_workload(const std::string& name);
[[nodiscard]] std::vector<std::string> design_names();
[[nodiscard]] Status unknown_design(const std::string& name);

}  // namespace bobbin::cli
