// SPDX-License-Identifier: Apache-2.0
// The plan that launches the encoder's kernels, for any executor.
#pragma once

#include <algorithm>
#include <type_traits>

#include "bobbin/memory.hpp"
#include "codecs/zstd/batch.hpp"
#include "codecs/zstd/encode_kernels.hpp"
#include "codecs/zstd/frame_kernels.hpp"
#include "device/fork.hpp"

namespace bobbin::zstd {

// How content is cut, and how much scratch a slice has.
struct EncodePlan {
  EncodeLayout layout;
  uint64_t num_frames = 0;
  uint64_t frames_per_slice = 0;

  [[nodiscard]] static EncodePlan of(uint64_t in_bytes, const EncodeBatchOptions& options) {
    EncodePlan plan;
    plan.layout =
        EncodeLayout::of(options.frame_bytes, options.block_bytes, settings_of(options.level).long_key);
    plan.num_frames = encode_frames(in_bytes, options);
    const uint64_t slice_bytes = options.slice_bytes != 0 ? options.slice_bytes : slice_of(options.level);
    const uint64_t most = std::max<uint64_t>(slice_bytes / options.frame_bytes, 1);
    plan.frames_per_slice = std::min({plan.num_frames, most, uint64_t{1} << 20});
    return plan;
  }
  // Larger slices are faster: at level 1 20.1 instead of 19.7 GB/s (H200, docs/perf/zstd.md). Scratch of one
  // key is smaller.
  [[nodiscard]] static uint64_t slice_of(uint32_t level) {
    return uint64_t{settings_of(level).long_key ? 192U : 256U} << 20;
  }
  [[nodiscard]] uint64_t sizes_bytes() const {
    return round_up<uint64_t>(frames_per_slice * sizeof(uint32_t), kPartAlignment);
  }
  [[nodiscard]] uint64_t scratch_bytes() const { return sizes_bytes() + frames_per_slice * layout.stride; }
};

template <class Executor>
struct EncodePlans {
  template <class Observer = NoObserver>
  static Status encode(const std::byte* in, uint64_t in_bytes, std::byte* out, uint64_t* frame_ends,
                       const EncodeBatchOptions& options, StreamView stream, const Observer& observer = {}) {
    const EncodePlan plan = EncodePlan::of(in_bytes, options);
    MemoryResource& memory = options.memory != nullptr ? *options.memory : default_memory(stream.backend());
    BOBBIN_ASSIGN(const DeviceBuffer scratch, DeviceBuffer::create(plan.scratch_bytes(), stream, memory));
    for (uint64_t first = 0; first < plan.num_frames; first += plan.frames_per_slice) {
      const uint64_t some = std::min(plan.frames_per_slice, plan.num_frames - first);
      const uint64_t begin = first * options.frame_bytes;
      EncodeSlice slice{.in = in + begin,
                        .in_bytes = std::min(in_bytes - begin, some * options.frame_bytes),
                        .num_frames = some,
                        .frame_bytes = options.frame_bytes,
                        .block_bytes = options.block_bytes,
                        .settings = settings_of(options.level),
                        .checksum = options.checksum,
                        .layout = plan.layout,
                        .scratch = scratch.as<uint8_t>() + plan.sizes_bytes(),
                        .sizes = {scratch.as<uint32_t>(), some},
                        .ends = {frame_ends + first, some},
                        .before = first == 0 ? nullptr : frame_ends + first - 1,
                        .out = out};
      BOBBIN_TRY(run(slice, stream, observer));
    }
    return {};
  }

 private:
  // Parts of a slice run at the same time: no stage fills a GPU alone. An observer sees one stage at a time.
  template <class Observer>
  static Status run(const EncodeSlice& slice, StreamView stream, const Observer& observer) {
    constexpr uint64_t kMostParts = std::is_same_v<Observer, NoObserver> ? 4 : 1;
    constexpr uint64_t kFramesPerPart = 256;
    const uint64_t parts = std::clamp<uint64_t>(slice.num_frames / kFramesPerPart, 1, kMostParts);
    const uint64_t each = ceil_div<uint64_t>(slice.num_frames, parts);
    BOBBIN_ASSIGN(Fork fork, Fork::create(stream, static_cast<uint32_t>(parts)));
    for (uint32_t i = 0; i < parts; ++i) {
      BOBBIN_TRY(run_part(slice.part_of(i * each, each), Executor(fork.branch(i)), observer));
    }
    BOBBIN_TRY(fork.join());
    const Executor executor(stream);
    BOBBIN_TRY(executor.run(PlaceFramesKernel{slice}, 1));
    BOBBIN_TRY(observer("place"));
    BOBBIN_TRY(executor.run(CopyFramesKernel{slice}, slice.num_frames));
    return observer("copy");
  }

  // Everything up to the frames in scratch memory.
  template <class Observer>
  static Status run_part(const EncodeSlice& slice, const Executor& executor, const Observer& observer) {
    const uint64_t frames = slice.num_frames;
    BOBBIN_TRY(link(slice, executor));
    BOBBIN_TRY(observer("link"));
    BOBBIN_TRY(executor.run(ParseKernel{slice}, ParseKernel{slice}.num_blocks()));
    BOBBIN_TRY(observer("parse"));
    BOBBIN_TRY(executor.run(TablesKernel{slice, all_default_counts()}, frames));
    BOBBIN_TRY(observer("tables"));
    BOBBIN_TRY(executor.run(BlocksKernel{slice}, frames));
    return observer("blocks");
  }

  static Status link(const EncodeSlice& slice, const Executor& executor) {
    LinkTask task{slice.in, slice.in_bytes, slice.frame_bytes,
                  reinterpret_cast<uint16_t*>(slice.scratch + slice.layout.area), slice.layout.stride / 2};
    BOBBIN_TRY(slice.settings.short_key == 5 ? executor.run(WalkKernel<5>{task}, slice.num_frames)
                                             : executor.run(WalkKernel<4>{task}, slice.num_frames));
    if (!slice.settings.long_key) {
      return {};
    }
    task.links = reinterpret_cast<uint16_t*>(slice.scratch + slice.layout.long_links);
    return executor.run(WalkKernel<8>{task}, slice.num_frames);
  }
};

}  // namespace bobbin::zstd
