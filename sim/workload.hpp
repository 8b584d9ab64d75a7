// SPDX-License-Identifier: Apache-2.0
// Workloads: proxies for the paper's applications, and controls. A workload fills memory, then its launches
// run one after another, then it checks its results.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/memory.hpp"
#include "sim/program.hpp"

namespace bobbin::sim {

// Called once per warp. A lambda that is a coroutine keeps its captures in this object, which outlives the
// launch.
using Kernel = std::function<Program(Warp&)>;

struct Launch {
  uint32_t blocks = 1;
  uint32_t block_threads = 256;  // a multiple of 32
  uint32_t registers = 20;       // per thread; a kernel that holds more values at once fails
  uint32_t shared_bytes = 0;     // per block
  Kernel kernel = {};
};

// Whole warps, and numbers that an SM could have.
[[nodiscard]] Status check(const Launch& launch);

// A workload with its data.
struct WorkloadRun {
  // The launch of a number, from 0 on; none after the last. It may read memory (say, whether a frontier is
  // empty); only kernels write it.
  std::function<std::optional<Launch>(uint32_t number, const Memory& memory)> launch;
  // After the last launch: whether the results are correct. Exact, and independent of the order of warps.
  std::function<Status(const Memory& memory)> check;
};

enum class WorkloadClass : uint8_t { memory, compute, incompressible, library };
[[nodiscard]] std::string_view to_string(WorkloadClass kind);

struct Workload {
  std::string_view name = "";
  WorkloadClass kind = WorkloadClass::memory;
  std::string_view represents = "";   // the application it is a proxy for, "control", or a kernel of Bobbin
  std::string_view description = "";  // one line: access pattern, data, arithmetic
  // Allocates and fills memory. The same seed gives the same bytes; `quick` is a smaller problem.
  std::function<WorkloadRun(Memory& memory, uint64_t seed, bool quick)> setup;
};

// Proxies and controls, in the order of the paper's figures: those of the experiments.
[[nodiscard]] std::span<const Workload> workloads();
// Kernels of the library, recorded in the emulator; none in a build without it. No experiment uses them.
[[nodiscard]] std::span<const Workload> library_workloads();
// Their names, in every build.
[[nodiscard]] std::span<const std::string_view> library_workload_names();
// Proxies, controls, then kernels of the library.
[[nodiscard]] std::vector<const Workload*> all_known_workloads();
// The same program with data from a file under `folder` instead of data made from the seed. Its results are
// not comparable with the paper's figures; no experiment uses it.
[[nodiscard]] bobbin::Result<Workload> with_data(const Workload& workload, const std::string& folder);
[[nodiscard]] std::vector<std::string_view> workloads_with_data();
// Null if there is none of this name.
[[nodiscard]] const Workload* find_workload(std::string_view name);

}  // namespace bobbin::sim
