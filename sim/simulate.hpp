// SPDX-License-Identifier: Apache-2.0
// Runs a workload on the simulated machine. A run uses one thread and no clock: the same arguments give the
// same result. Several runs may go on in different threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "sim/config.hpp"
#include "sim/memory.hpp"
#include "sim/result.hpp"
#include "sim/workload.hpp"

namespace bobbin::sim {

enum class Design : uint8_t {
  base,
  hw_bdi_mem,
  hw_bdi,
  caba_bdi,
  caba_fpc,
  caba_cpack,
  caba_best,
  ideal_bdi
};
inline constexpr uint32_t kNumDesigns = 8;

[[nodiscard]] std::string_view to_string(Design design);  // as in `bobbin sim run --design`
[[nodiscard]] std::optional<Design> find_design(std::string_view name);

// One cycle in which a scheduler issued.
struct IssueEvent {
  uint64_t cycle = 0;
  uint32_t sm = 0;
  uint32_t scheduler = 0;
  uint32_t warp = 0;  // slot of the SM
  Op op = Op::alu;
  bool assist = false;
  bool low_priority = false;
};

enum class DramCommand : uint8_t { activate, precharge, read, write };
struct DramEvent {
  uint64_t cycle = 0;  // of the DRAM clock
  uint32_t channel = 0;
  uint32_t chip = 0;
  uint32_t bank = 0;
  uint32_t row = 0;
  DramCommand command = DramCommand::activate;
};

enum class AssistEventKind : uint8_t { trigger, deploy, complete, kill };
struct AssistEvent {
  uint64_t cycle = 0;
  uint32_t sm = 0;
  uint32_t warp = 0;   // the parent
  uint32_t entry = 0;  // of the assist warp table
  AssistEventKind kind = AssistEventKind::trigger;
  bool low_priority = false;
};

// Collects events of the cycles from `first_cycle` to before `end_cycle`; DRAM and assist events of all SMs
// and channels, issue events of one SM (or of all with kAllSms).
struct EventLog {
  static constexpr uint32_t kAllSms = 0xffff'ffff;
  uint64_t first_cycle = 0;
  uint64_t end_cycle = ~uint64_t{0};
  uint32_t sm = 0;
  size_t limit = 10'000'000;  // events of each kind; later ones are dropped

  std::vector<IssueEvent> issues;
  std::vector<DramEvent> dram;
  std::vector<AssistEvent> assists;
};

struct Options {
  uint64_t seed = 1;
  bool quick = false;
  EventLog* log = nullptr;
  // For tests: per thousand assist warps of low priority that are killed at a random moment, and stores whose
  // line is released as if the buffer overflowed.
  uint32_t kill_per_thousand = 0;
  uint32_t overflow_per_thousand = 0;
  // The final contents of L2 and DRAM are decoded and compared with memory, and the workload checks its
  // results.
  bool verify = true;
  // For tests: gets what L2 and DRAM decode to at the end.
  std::vector<uint8_t>* final_bytes = nullptr;
};

[[nodiscard]] bobbin::Result<RunResult> simulate(const Config& config, const Workload& workload,
                                                 Design design, const Options& options);

// The same programs without timing: what memory must hold at the end, for every design.
struct FunctionalRun {
  Memory memory;
  uint64_t instructions = 0;
  uint64_t launches = 0;
  uint32_t most_registers = 0;  // that a warp used at once
};
// Sees each instruction after it took effect.
using Observer = std::function<void(const Warp&, const Instruction&)>;
[[nodiscard]] bobbin::Result<FunctionalRun> run_functionally(const Workload& workload, uint64_t seed,
                                                             bool quick,
                                                             uint64_t max_instructions = 1'000'000'000,
                                                             const Observer& observer = {});

}  // namespace bobbin::sim
