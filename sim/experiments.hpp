// SPDX-License-Identifier: Apache-2.0
// The paper's experiments: which runs they need, and running them in parallel.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "sim/simulate.hpp"

namespace bobbin::sim {

// One run: what is simulated, and what differs from the configured machine.
struct Case {
  std::string workload;
  Design design = Design::base;
  std::string settings;  // "name=value name=value"; empty: nothing differs

  friend auto operator<=>(const Case&, const Case&) = default;
};

// "PVC, caba-bdi, dram.bandwidth_percent=50"
[[nodiscard]] std::string to_string(const Case& one);
[[nodiscard]] bobbin::Result<Config> config_of(const Config& machine, const Case& one);

// A setting whose effect on CABA-BDI is reported: everything that the paper leaves open.
struct Variation {
  std::string_view settings;
  bool also_base;  // it changes the machine without assist warps too
  std::string_view what;
};
[[nodiscard]] std::span<const Variation> variations();

inline constexpr std::string_view kHalfBandwidth = "dram.bandwidth_percent=50";
inline constexpr std::string_view kDoubleBandwidth = "dram.bandwidth_percent=200";
inline constexpr std::string_view kProfile = "caba.profile=on";
inline constexpr std::string_view kRawL2 = "caba.raw_l2=on";
inline constexpr std::string_view kDirectLoad = "caba.direct_load=on";
inline constexpr std::string_view kHalfClock = "clock.core=700 clock.icnt=700 clock.l2=700";
inline constexpr std::string_view kCacheTags[] = {"caba.l1_tags=2", "caba.l1_tags=4", "caba.l2_tags=2",
                                                  "caba.l2_tags=4"};

// Proxies of the paper's applications that memory limits: the means are over these.
[[nodiscard]] std::vector<std::string> proxies();
[[nodiscard]] std::vector<std::string> all_workloads();
// A few proxies for the variations; fewer in a quick set.
[[nodiscard]] std::vector<std::string> sample(bool quick);

// Every run of every experiment, each once, in a fixed order.
[[nodiscard]] std::vector<Case> paper_cases(bool quick);

// Events of one SM, for the report.
struct Timeline {
  Case of;
  uint32_t sm = 0;
  uint64_t first_cycle = 0;
  uint64_t end_cycle = 0;
  std::vector<IssueEvent> issues;
};

// What the runs were made with, and their results.
struct ResultSet {
  std::string build;  // of the simulator
  Config machine;
  bool quick = false;
  uint64_t seed = 1;
  std::map<Case, RunResult> runs;
  std::map<Case, std::string> failures;
  std::optional<Timeline> timeline;

  [[nodiscard]] const RunResult* find(const std::string& workload, Design design,
                                      std::string_view settings = "") const;
};

struct CaseOutcome {
  const Case& one;
  const bobbin::Result<RunResult>& result;
  size_t done;         // of all cases, this one included
  double cpu_seconds;  // that the run took
};

// Runs the cases, several at once on threads of their own. `report` is called for each, in the order in which
// they end, one call at a time; an error that it returns stops the rest and is returned.
[[nodiscard]] Status run_cases(std::span<const Case> cases, const ResultSet& set, uint32_t threads,
                               const std::function<Status(const CaseOutcome&)>& report);

// One SM's instructions during some cycles of a run.
[[nodiscard]] bobbin::Result<Timeline> record_timeline(const ResultSet& set, const Case& one,
                                                       uint64_t first_cycle, uint64_t end_cycle);

// A hash of the simulator's sources: results of another one are not mixed with ours.
[[nodiscard]] std::string_view simulator_build();

}  // namespace bobbin::sim
