// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.hpp"

#include <fmt/format.h>

#include "sim/gpu.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] Status check_store(const Config& config, const Traits& traits) {
  const RoutineNeeds needs = assist_needs(config, traits);
  if (needs.instructions > config.caba_aws_entries) {
    return {StatusCode::invalid_argument,
            fmt::format("caba.aws_entries: the routines need {} instructions, found {}", needs.instructions,
                        config.caba_aws_entries)};
  }
  return {};
}

[[nodiscard]] uint64_t stored_bursts(const StoredImage& stored, const Memory& memory) {
  uint64_t bursts = 0;
  for (uint64_t line = 0; line < memory.num_lines(); ++line) {
    bursts += stored.bursts(line);
  }
  return bursts;
}

[[nodiscard]] RunResult begin_result(const Config& config, const Workload& workload, Design design,
                                     const Options& options) {
  RunResult result;
  result.workload = workload.name;
  result.design = to_string(design);
  result.seed = options.seed;
  result.quick = options.quick;
  result.sms = config.gpu_sms;
  result.dram_buses = config.dram_channels * config.dram_chips;
  result.clock_core = config.clock_core;
  result.clock_dram = config.clock_dram * config.dram_bandwidth_percent / 100;
  return result;
}

[[nodiscard]] Status run_launches(Gpu& gpu, const WorkloadRun& instance, const Memory& memory) {
  for (uint32_t number = 0;; ++number) {
    const std::optional<Launch> launch = instance.launch(number, memory);
    if (!launch.has_value()) {
      return {};
    }
    Status status = check(*launch);
    if (status.ok()) {
      status = gpu.run(*launch, number);
    }
    if (!status.ok()) {
      return status.in(fmt::format("launch {}", number));
    }
  }
}

}  // namespace

bobbin::Result<RunResult> simulate(const Config& config, const Workload& workload, Design design,
                                   const Options& options) {
  const Traits traits = traits_of(design, config);
  Status status = check(config);
  if (status.ok()) {
    status = check_store(config, traits);
  }
  if (!status.ok()) {
    return status;
  }
  RunResult result = begin_result(config, workload, design, options);
  Memory memory;
  const WorkloadRun instance = workload.setup(memory, options.seed, options.quick);
  StoredImage stored(memory, traits.algorithm, config.caba_first_base != 0);
  result.counters.stored_bursts_first = stored_bursts(stored, memory);
  Machine machine{.config = config,
                  .traits = traits,
                  .options = options,
                  .memory = memory,
                  .stored = stored,
                  .counters = result.counters,
                  .versions = std::vector<uint32_t>(memory.num_lines())};
  Gpu gpu(machine);
  status = run_launches(gpu, instance, memory);
  if (!status.ok()) {
    return status.in(fmt::format("{}, {}", workload.name, to_string(design)));
  }
  gpu.finish();
  result.counters.stored_bursts_last = stored_bursts(stored, memory);
  result.counters.stored_bursts_raw = memory.num_lines() * kLineBursts;
  if (options.verify) {
    status = stored.compare(memory);
    if (status.ok()) {
      status = instance.check(memory);
    }
    if (!status.ok()) {
      return status.in(fmt::format("{}, {}: results", workload.name, to_string(design)));
    }
  }
  return result;
}

}  // namespace bobbin::sim
