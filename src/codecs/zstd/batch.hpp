// SPDX-License-Identifier: Apache-2.0
// Batches of frames on a device: what the host knows of them.
#pragma once

#include "bobbin/zstd.hpp"
#include "codecs/zstd/tile.hpp"

namespace bobbin::zstd {

// How a batch is cut, and how much scratch a slice has.
struct BatchPlan {
  uint64_t frames_per_slice = 1;
  uint32_t streams = 1;           // each works on a slice of its own
  uint64_t round_bytes = 0;       // of scratch for frames in one round, without the last one's excess
  uint64_t max_frame_bytes = 0;   // of scratch for one frame
  uint64_t scratch_bytes = 0;     // for all of a slice; each stream has as much
  uint64_t blocks_per_frame = 1;  // if they are as large as blocks can be
  SplitPlan split{};
  uint32_t steps = 0;  // of a frame that is split
};
[[nodiscard]] BatchPlan plan_batch(uint64_t count, const BatchOptions& options);

// The launches, by the device source.
template <Backend kBackend>
[[nodiscard]] Status decode_batch_on(const BatchFrame* frames, uint64_t count, FrameResult* results,
                                     const BatchOptions& options, StreamView stream);

template <Backend kBackend>
[[nodiscard]] Status encode_batch_on(const std::byte* in, uint64_t in_bytes, std::byte* out,
                                     uint64_t* frame_ends, const EncodeBatchOptions& options,
                                     StreamView stream);

}  // namespace bobbin::zstd
