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

// Share of the cycles in which the ports from L2 to the SMs carry flits.
[[nodiscard]] double reply_use(const RunResult& result, const Config& config) {
  const uint64_t cycles =
      result.counters.core_cycles * config.clock_icnt / config.clock_core * config.dram_channels;
  return cycles == 0 ? 0 : static_cast<double>(result.counters.reply_flits) / static_cast<double>(cycles);
}

// One run with what a design does, whatever its name.
[[nodiscard]] Status run_machine(const Config& config, const Workload& workload, const Traits& traits,
                                 const Options& options, RunResult& result) {
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
  if (const Status status = run_launches(gpu, instance, memory); !status.ok()) {
    return status;
  }
  gpu.finish();
  result.counters.stored_bursts_last = stored_bursts(stored, memory);
  result.counters.stored_bursts_raw = memory.num_lines() * kLineBursts;
  if (options.final_bytes != nullptr) {
    for (uint64_t line = 0; line < memory.num_lines(); ++line) {
      const LineBytes bytes = stored.decoded(line);
      options.final_bytes->insert(options.final_bytes->end(), bytes.begin(), bytes.end());
    }
  }
  if (!options.verify) {
    return {};
  }
  const Status same = stored.compare(memory);
  return same.ok() ? instance.check(memory).in("results") : same.in("results");
}

// The profile: compression is for workloads whose traffic compresses and that wait for DRAM or the crossbar.
// It runs the workload without compression and with compression that costs nothing.
[[nodiscard]] Status profile(const Config& config, const Workload& workload, const Options& options,
                             Traits& traits, RunResult& result) {
  const Options plain{.seed = options.seed, .quick = options.quick, .verify = false};
  RunResult base = result;
  RunResult ideal = result;
  Status status = run_machine(config, workload, {}, plain, base);
  const Traits free{.algorithm = traits.algorithm, .compressed_l2 = true, .absorbs = true};
  status = status.ok() ? run_machine(config, workload, free, plain, ideal) : status;
  if (!status.ok()) {
    return status.in("profile");
  }
  const bool compresses = 100 * ideal.compression_ratio() >= config.caba_profile_ratio;
  const bool waits =
      100 * std::max(base.dram_utilisation(), reply_use(base, config)) >= config.caba_profile_use;
  result.compression_disabled = !compresses || !waits;
  traits = result.compression_disabled ? Traits{} : traits;
  return {};
}

}  // namespace

bobbin::Result<RunResult> simulate(const Config& config, const Workload& workload, Design design,
                                   const Options& options) {
  Traits traits = traits_of(design, config);
  RunResult result = begin_result(config, workload, design, options);
  Status status = check(config);
  if (status.ok()) {
    status = check_store(config, traits);
  }
  if (!status.ok()) {
    return status;
  }
  if (config.caba_profile != 0 && traits.algorithm != Algorithm::none) {
    status = profile(config, workload, options, traits, result);
  }
  if (status.ok()) {
    status = run_machine(config, workload, traits, options, result);
  }
  if (!status.ok()) {
    return status.in(fmt::format("{}, {}", workload.name, to_string(design)));
  }
  return result;
}

}  // namespace bobbin::sim
