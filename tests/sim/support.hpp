// SPDX-License-Identifier: Apache-2.0
// Small workloads for the tests of the simulator.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "sim/simulate.hpp"

namespace bobbin::sim {

using FillWords = std::function<uint32_t(uint64_t i, std::mt19937_64& random)>;

// Data classes: what each design makes of them is known.
[[nodiscard]] inline uint32_t random_word(uint64_t, std::mt19937_64& random) {
  return static_cast<uint32_t>(random());
}
[[nodiscard]] inline uint32_t small_delta(uint64_t, std::mt19937_64& random) {
  return 0x4000'0000U + static_cast<uint32_t>(random() % 100);
}

[[nodiscard]] inline WorkloadRun one_launch(Launch launch) {
  return {.launch = [launch = std::move(launch)](uint32_t number, const Memory&) -> std::optional<Launch> {
            return number > 0 ? std::nullopt : std::optional<Launch>(launch);
          },
          .check = [](const Memory&) { return Status(); }};
}

// Reads `count` words and writes each plus one.
[[nodiscard]] Workload stream_workload(uint32_t count, FillWords fill);
// Reads only: each warp sums several lines and the last lane stores nothing but the sum.
[[nodiscard]] Workload read_workload(uint32_t count, uint32_t lines_per_warp, FillWords fill);
// Random bytes, half words and words of compressible lines are overwritten, with no two lanes on the same
// bytes.
[[nodiscard]] Workload scatter_workload(uint32_t count);
// Arithmetic only: `steps` dependent or independent additions per warp.
[[nodiscard]] Workload alu_workload(uint32_t blocks, uint32_t steps, uint32_t chains);

// A run that must succeed.
RunResult run(const Config& config, const Workload& workload, Design design = Design::base,
              const Options& options = {});

// Its memory before the first launch, with small inputs.
[[nodiscard]] std::vector<uint8_t> bytes_of(const Workload& workload, uint64_t seed);

}  // namespace bobbin::sim
