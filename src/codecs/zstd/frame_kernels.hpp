// SPDX-License-Identifier: Apache-2.0
// The plans that launch zstd's kernels, for any executor.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bobbin/memory.hpp"
#include "codecs/zstd/batch.hpp"
#include "codecs/zstd/chain_kernel.hpp"
#include "codecs/zstd/checksum_kernel.hpp"
#include "codecs/zstd/encode_tables.hpp"
#include "codecs/zstd/execute_kernel.hpp"
#include "codecs/zstd/literals_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"
#include "codecs/zstd/split_kernel.hpp"
#include "codecs/zstd/values_kernel.hpp"
#include "device/fork.hpp"

namespace bobbin::zstd {

// Called after each launch with the stage's name; benchmarks measure with it.
struct NoObserver {
  Status operator()(const char* /*stage*/) const { return {}; }
};

template <class Executor>
struct Plans {
  template <class Observer = NoObserver>
  static Status decode(const BatchFrame* frames, uint64_t count, FrameResult* results,
                       const BatchOptions& options, StreamView stream, const Observer& observer = {}) {
    const BatchPlan plan = plan_batch(count, options);
    MemoryResource& memory = options.memory != nullptr ? *options.memory : default_memory(stream.backend());
    BOBBIN_ASSIGN(const DeviceBuffer scratch,
                  DeviceBuffer::create(plan.streams * plan.scratch_bytes, stream, memory));
    BOBBIN_ASSIGN(Fork fork, Fork::create(stream, plan.streams));
    uint32_t branch = 0;
    for (uint64_t first = 0; first < count; first += plan.frames_per_slice) {
      const uint64_t some = std::min(plan.frames_per_slice, count - first);
      Slice slice = divide(scratch.as<uint8_t>() + branch * plan.scratch_bytes, some, plan);
      slice.frames = {frames + first, some};
      slice.results = {results + first, some};
      slice.split = plan.split;
      slice.max_scratch = plan.max_frame_bytes;
      slice.max_window = options.max_window;
      slice.max_content = static_cast<uint32_t>(std::min(options.max_out_bytes, kMaxDeviceContent));
      slice.magicless = options.magicless;
      slice.verify_checksums = options.verify_checksums;
      BOBBIN_TRY(run(slice, plan, Executor(fork.branch(branch)), observer));
      branch = (branch + 1) % plan.streams;
    }
    return fork.join();
  }

 private:
  template <class Observer>
  static Status run(const Slice& slice, const BatchPlan& plan, const Executor& executor,
                    const Observer& observer) {
    const uint64_t frames = slice.frames.size;
    BOBBIN_TRY(plan.steps == 0 ? run_over_frames(executor, MeasureKernel<1>{slice})
                               : run_over_frames(executor, MeasureKernel<simt::kWarpSize>{slice}));
    BOBBIN_TRY(observer("measure"));
    BOBBIN_TRY(executor.run(PlaceKernel{slice, plan.round_bytes / sizeof(Quad)}, 1));
    BOBBIN_TRY(observer("place"));
    for (uint32_t round = 0; round < std::min<uint64_t>(kRounds, frames); ++round) {
      BOBBIN_TRY(run_round(slice, plan, round, executor, observer));
    }
    constexpr uint32_t kFramesPerBlock = ResultKernel::kThreads / ResultKernel::kLanes;
    BOBBIN_TRY(executor.run(ResultKernel{slice}, ceil_div<uint64_t>(frames, kFramesPerBlock)));
    return observer("checksum");
  }

  template <class Observer>
  static Status run_round(const Slice& slice, const BatchPlan& plan, uint32_t round, const Executor& executor,
                          const Observer& observer) {
    BOBBIN_TRY(plan.steps == 0 ? run_over_frames(executor, DescribeKernel<1>{slice, round})
                               : run_over_frames(executor, DescribeKernel<simt::kWarpSize>{slice, round}));
    BOBBIN_TRY(observer("describe"));
    BOBBIN_TRY(run_literals(slice, plan, round, executor));
    BOBBIN_TRY(observer("literals"));
    BOBBIN_TRY(run_chain(slice, plan, round, executor));
    BOBBIN_TRY(observer("chain"));
    BOBBIN_TRY(run_resident(executor, ValuesKernel{slice, round}, UINT64_MAX));
    BOBBIN_TRY(observer("values"));
    if (plan.steps != 0) {
      return run_split(slice, plan, round, executor, observer);
    }
    BOBBIN_TRY(run_execute(slice, round, executor));
    return observer("execute");
  }

  // Large frames: the whole card works on each.
  template <class Observer>
  static Status run_split(const Slice& slice, const BatchPlan& plan, uint32_t round, const Executor& executor,
                          const Observer& observer) {
    const uint64_t frames = slice.frames.size;
    BOBBIN_TRY(executor.run(PlaceBlocksKernel{slice, round}, frames));
    const uint64_t starts = frames * plan.split.starts_per_frame;
    BOBBIN_TRY(executor.run(LocateKernel{slice, round}, ceil_div<uint64_t>(starts, LocateKernel::kThreads)));
    BOBBIN_TRY(observer("place blocks"));
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<SettleKernel>());
    const auto settlers = static_cast<uint32_t>(
        std::min<uint64_t>(SettleKernel::most_blocks(plan.split), ceil_div<uint64_t>(together, frames)));
    for (uint32_t step = 0; step < plan.steps; ++step) {
      const SegmentKernel segments{slice, round, step};
      BOBBIN_TRY(executor.run(segments, frames * plan.split.segments_per_step()));
      BOBBIN_TRY(observer("segments"));
      BOBBIN_TRY(executor.run(SettleKernel{slice, round, step, settlers}, frames * settlers));
      BOBBIN_TRY(observer("settle"));
    }
    return {};
  }

  // Few units are spread over all SMs as well.
  static Status run_literals(const Slice& slice, const BatchPlan& plan, uint32_t round,
                             const Executor& executor) {
    using Single = LiteralsKernel<1>;
    using Many = LiteralsKernel<4>;
    const uint64_t units = slice.frames.size * plan.blocks_per_frame;
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<Single>());
    return units <= together ? run_resident(executor, Single{slice, round}, units)
                             : run_resident(executor, Many{slice, round}, UINT64_MAX);
  }

  // Few chains are spread over all SMs, with no more blocks than there are pairs of them: if there were more,
  // those on some SMs would take all the tickets.
  static Status run_chain(const Slice& slice, const BatchPlan& plan, uint32_t round,
                          const Executor& executor) {
    using Pairs = ChainKernel<2>;
    using Many = ChainKernel<8>;
    const DefaultCounts defaults = all_default_counts();
    const uint64_t chains = slice.frames.size * plan.blocks_per_frame;
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<Pairs>());
    return chains <= together
               ? run_resident(executor, Pairs{slice, round, defaults}, ceil_div<uint64_t>(chains, 2))
               : run_resident(executor, Many{slice, round, defaults}, UINT64_MAX);
  }

  template <class Kernel>
  static Status run_over_frames(const Executor& executor, const Kernel& kernel) {
    return executor.run(kernel, ceil_div<uint64_t>(kernel.slice.frames.size, Kernel::kFrames));
  }

  // Few frames do not fill the card with a warp each: then a block works on each.
  static Status run_execute(const Slice& slice, uint32_t round, const Executor& executor) {
    using OfWarps = ExecuteKernel<1>;
    using OfBlocks = ExecuteKernel<8>;
    const uint64_t frames = slice.frames.size;
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<OfBlocks>());
    return frames <= 2 * uint64_t{together}
               ? run_resident(executor, OfBlocks{slice, round}, frames)
               : run_resident(executor, OfWarps{slice, round}, ceil_div<uint64_t>(frames, OfWarps::kTeams));
  }

  // As many blocks as the card holds at a time: they take tickets until there is no work left.
  template <class Kernel>
  static Status run_resident(const Executor& executor, const Kernel& kernel, uint64_t most) {
    BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<Kernel>());
    return executor.run(kernel, std::min<uint64_t>(together, most));
  }

  static Slice divide(uint8_t* scratch, uint64_t frames, const BatchPlan& plan) {
    Slice slice;
    auto* at = scratch;
    const auto take = [&]<class T>(Global<T>& part, uint64_t count) {
      part = {reinterpret_cast<T*>(at), count};
      at += round_up<uint64_t>(count * sizeof(T), kPartAlignment);
    };
    take(slice.infos, frames);
    take(slice.verdicts, frames);
    take(slice.first_literal_unit, frames);
    take(slice.first_sequence_unit, frames);
    take(slice.rounds, kDivided * (kRounds + 1));
    take(slice.tickets, kRounds * kTickets);
    if (plan.steps != 0) {
      take(slice.cells, frames * plan.split.cells_per_frame);
      take(slice.starts, frames * plan.split.starts_per_frame);
    }
    const auto used = static_cast<uint64_t>(at - scratch);
    take(slice.scratch, (plan.scratch_bytes - used) / sizeof(Quad));
    return slice;
  }
};

}  // namespace bobbin::zstd
