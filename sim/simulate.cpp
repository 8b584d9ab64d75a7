// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.hpp"

namespace bobbin::sim {

bobbin::Result<RunResult> simulate(const Config& config, const Workload& workload, Design design,
                                   const Options& options) {
  if (const Status status = check(config); !status.ok()) {
    return status;
  }
  const bobbin::Result<FunctionalRun> run = run_functionally(workload, options.seed, options.quick);
  if (!run.has_value()) {
    return run.error();
  }
  RunResult result;
  result.workload = workload.name;
  result.design = to_string(design);
  result.seed = options.seed;
  result.quick = options.quick;
  result.sms = config.gpu_sms;
  result.dram_buses = config.dram_channels * config.dram_chips;
  result.clock_core = config.clock_core;
  result.clock_dram = config.clock_dram;
  result.counters.core_cycles = run->instructions;
  result.counters.instructions = run->instructions;
  result.counters.launches = run->launches;
  return result;
}

}  // namespace bobbin::sim
