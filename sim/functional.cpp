// SPDX-License-Identifier: Apache-2.0
// Programs without timing: blocks one after another, the warps of a block in turns from barrier to barrier.
#include <fmt/format.h>

#include <memory>

#include "sim/simulate.hpp"

namespace bobbin::sim {
namespace {

class Block {
 public:
  Block(const Launch& launch, uint32_t launch_number, uint32_t block) : shared_(launch.shared_bytes) {
    const uint32_t block_warps = launch.block_threads / kLanes;
    for (uint32_t warp = 0; warp < block_warps; ++warp) {
      warps_.push_back(std::make_unique<Warp>(
          WarpPlace{launch_number, block, launch.blocks, warp, block_warps}, launch.registers));
      warps_.back()->start(launch.kernel(*warps_.back()));
    }
  }

  [[nodiscard]] Status run(FunctionalRun& run, uint64_t max_instructions, const Observer& observer) {
    for (size_t ended = 0; ended < warps_.size();) {
      ended = 0;
      if (run.instructions > max_instructions) {
        return {StatusCode::invalid_argument, fmt::format("not finished after {} instructions: block {}",
                                                          max_instructions, warps_[0]->place().block)};
      }
      for (const auto& warp : warps_) {
        if (!run_to_barrier(*warp, run, max_instructions, observer)) {
          return {StatusCode::invalid_argument, warp->fault()};
        }
        ended += warp->ended() ? 1 : 0;
      }
      // All warps are at a barrier, or have ended and no longer count.
      for (const auto& warp : warps_) {
        warp->release();
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool run_to_barrier(Warp& warp, FunctionalRun& run, uint64_t max_instructions,
                                    const Observer& observer) {
    while (run.instructions <= max_instructions && warp.advance()) {
      const Instruction taken = warp.take();
      ++run.instructions;
      if (!warp.execute(taken, run.memory, shared_)) {
        return false;
      }
      if (observer) {
        observer(warp, taken);
      }
      warp.free_operands(taken);
      if (taken.op != Op::barrier && warp.queued() == 0) {
        warp.release();
      }
    }
    run.most_registers = std::max(run.most_registers, warp.registers_used());
    return warp.fault().empty();
  }

  std::vector<uint8_t> shared_;
  std::vector<std::unique_ptr<Warp>> warps_;
};

}  // namespace

bobbin::Result<FunctionalRun> run_functionally(const Workload& workload, uint64_t seed, bool quick,
                                               uint64_t max_instructions, const Observer& observer) {
  FunctionalRun run;
  const WorkloadRun instance = workload.setup(run.memory, seed, quick);
  for (;; ++run.launches) {
    const std::optional<Launch> launch = instance.launch(static_cast<uint32_t>(run.launches), run.memory);
    if (!launch.has_value()) {
      break;
    }
    if (const Status status = check(*launch); !status.ok()) {
      return status.in(workload.name);
    }
    for (uint32_t block = 0; block < launch->blocks; ++block) {
      Block running(*launch, static_cast<uint32_t>(run.launches), block);
      if (const Status status = running.run(run, max_instructions, observer); !status.ok()) {
        return status.in(fmt::format("{}, launch {}", workload.name, run.launches));
      }
    }
  }
  if (const Status status = instance.check(run.memory); !status.ok()) {
    return status.in(fmt::format("{}: results", workload.name));
  }
  return run;
}

}  // namespace bobbin::sim
