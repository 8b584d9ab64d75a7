// SPDX-License-Identifier: Apache-2.0
// Batches: how they are cut, and frames in host memory that are decoded on a device.
#include "codecs/zstd/batch.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/tile.hpp"
#include "device/backends.hpp"

namespace bobbin::zstd {
namespace {

// Frames of host memory that are decoded together.
struct HostFrame {
  uint64_t at = 0;  // in the input
  uint64_t stored = 0;
  uint64_t bound = 0;  // of the content
  bool has_checksum = false;
};

// Many enough to keep a GPU busy, few enough to fit beside other things.
constexpr uint64_t kHostBatchBytes = uint64_t{512} << 20;
// Larger frames are decoded one at a time, by the whole device.
constexpr uint64_t kMaxHostFrame = BatchOptions{}.split_bytes;

// A checksum is one long chain of dependent steps, which takes a device ten times as long as a CPU.
bool is_checked_by_host(const HostFrame& frame) {
  return frame.has_checksum && frame.bound > kMaxHostFrame;
}

// One batch of frames on its way through a device.
class HostBatch {
 public:
  HostBatch(std::span<const std::byte> in, const DecodeOptions& options, StreamView stream)
      : in_(in), options_(options), stream_(stream) {}

  // Appends the content of all frames to `out`, which may hold `max_bytes`.
  Status decode(std::span<const HostFrame> frames, uint64_t max_bytes, std::vector<std::byte>& out) {
    uint64_t stored = 0;
    uint64_t content = 0;
    for (const HostFrame& frame : frames) {
      stored = std::max(stored, frame.at + frame.stored - frames[0].at);
      content += frame.bound;
      options_out_.max_out_bytes = std::max(options_out_.max_out_bytes, frame.bound);
    }
    BOBBIN_ASSIGN(const DeviceBuffer there, DeviceBuffer::create(round_up<uint64_t>(stored, 4) + 4, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer decoded,
                  DeviceBuffer::create(round_up<uint64_t>(content, 4) + 4, stream_));
    BOBBIN_TRY(copy_async(there.data(), in_.data() + frames[0].at, stored, stream_));
    BOBBIN_ASSIGN(const std::vector<FrameResult> results, run(frames, there, decoded));
    std::vector<std::byte> host(content);
    BOBBIN_TRY(copy_async(host.data(), decoded.data(), content, stream_));
    BOBBIN_TRY(stream_.synchronize());
    return collect(frames, results, host, max_bytes, out);
  }

 private:
  Result<std::vector<FrameResult>> run(std::span<const HostFrame> frames, const DeviceBuffer& there,
                                       const DeviceBuffer& decoded) {
    std::vector<BatchFrame> batch;
    uint64_t content = 0;
    for (const HostFrame& frame : frames) {
      batch.push_back({there.as<std::byte>() + (frame.at - frames[0].at), frame.stored,
                       decoded.as<std::byte>() + content, frame.bound});
      content += frame.bound;
    }
    BOBBIN_ASSIGN(const DeviceBuffer list, DeviceBuffer::create(batch.size() * sizeof(BatchFrame), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer verdicts,
                  DeviceBuffer::create(batch.size() * sizeof(FrameResult), stream_));
    BOBBIN_TRY(copy_async(list.data(), batch.data(), list.size(), stream_));
    options_out_.max_window = options_.max_window;
    options_out_.magicless = options_.magicless;
    options_out_.verify_checksums = options_.verify_checksums && !is_checked_by_host(frames.back());
    BOBBIN_TRY(
        decode_batch(list.as<BatchFrame>(), batch.size(), verdicts.as<FrameResult>(), options_out_, stream_));
    std::vector<FrameResult> results(batch.size());
    BOBBIN_TRY(copy_async(results.data(), verdicts.data(), verdicts.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    return results;
  }

  // Frames that the device did not decode are tried on the CPU: it says what is wrong with them.
  Status collect(std::span<const HostFrame> frames, std::span<const FrameResult> results,
                 std::span<const std::byte> host, uint64_t max_bytes, std::vector<std::byte>& out) const {
    uint64_t at = 0;
    for (size_t i = 0; i < frames.size(); ++i) {
      const std::span<const std::byte> content = host.subspan(at, frames[i].bound);
      at += frames[i].bound;
      const uint64_t room = max_bytes - out.size();
      if (results[i].verdict == Verdict::ok && checksum_matches(frames[i], content.first(results[i].bytes))) {
        BOBBIN_RETURN_IF(results[i].bytes > room, StatusCode::invalid_argument,
                         "zstd: the output is too small for the frame's content");
        out.insert(out.end(), content.begin(), content.begin() + static_cast<ptrdiff_t>(results[i].bytes));
        continue;
      }
      BOBBIN_ASSIGN(const auto by_cpu,
                    decode_all(in_.subspan(frames[i].at, frames[i].stored), room, options_));
      BOBBIN_RETURN_IF(results[i].verdict != Verdict::needs_cpu, StatusCode::device,
                       "zstd: the device refused a frame that the CPU decodes (" +
                           std::string(to_string(results[i].verdict)) + ")");
      out.insert(out.end(), by_cpu.begin(), by_cpu.end());
    }
    return {};
  }

  [[nodiscard]] bool checksum_matches(const HostFrame& frame, std::span<const std::byte> content) const {
    if (!options_.verify_checksums || !is_checked_by_host(frame)) {
      return true;
    }
    const auto stored = load<uint32_t>(in_.data() + frame.at + frame.stored - sizeof(uint32_t));
    return static_cast<uint32_t>(XXH64(content.data(), content.size(), 0)) == stored;
  }

  std::span<const std::byte> in_;
  const DecodeOptions& options_;
  BatchOptions options_out_{};
  StreamView stream_;
};

// Frames from `at` on that are decoded together: one that is large, or several that are not.
Result<std::vector<HostFrame>> next_frames(std::span<const std::byte> in, uint64_t at, uint64_t max_bytes,
                                           const DecodeOptions& options) {
  std::vector<HostFrame> frames;
  for (uint64_t content = 0; at < in.size() && content < kHostBatchBytes;) {
    BOBBIN_ASSIGN(const FrameExtent extent, measure_frame(in.subspan(at), options));
    const uint64_t bound = extent.header.skippable ? 0 : std::min(extent.content_bound, max_bytes);
    if (bound > kMaxHostFrame && !frames.empty()) {
      break;
    }
    frames.push_back({at, extent.compressed_bytes, bound, extent.header.has_checksum});
    at += extent.compressed_bytes;
    content += bound > kMaxHostFrame ? kHostBatchBytes : bound;
  }
  return frames;
}

// Scratch for a frame that is split, which has no second round: frames with more sequences are left to the
// CPU.
uint64_t split_scratch(uint64_t content) {
  return std::min(most_scratch(content), content + content / 100 * 35 + (uint64_t{64} << 10));
}

// The chains of a slice wait for their tables most of the time, and shared memory bounds their number; the
// other stages are bound by instructions. So the stages of several slices share the device, if each has
// enough frames.
uint32_t num_streams(uint64_t frames, const BatchOptions& options) {
  constexpr uint64_t kFramesPerStream = 1024;
  constexpr uint64_t kMostStreams = 4;
  const uint64_t wanted =
      options.streams != 0 ? options.streams : std::min(frames / kFramesPerStream, kMostStreams);
  return static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 1, frames));
}

// All steps of a slice have cells for 1/128 of it: 32 MiB by default, which stay in the cache of a GPU.
void plan_split(BatchPlan& plan, uint64_t content, uint64_t slice_bytes) {
  constexpr uint64_t kSegments = 512;  // in a step of all frames: that keeps a GPU busy
  constexpr uint64_t kMinSegments = 8;
  const uint64_t bytes = std::min(slice_bytes / 128, uint64_t{8} << 20);
  const uint64_t segment = std::clamp<uint64_t>(std::bit_floor(bytes / kSegments), 1024, uint64_t{16} << 10);
  const uint64_t step = std::max(bytes / plan.frames_per_slice / segment, kMinSegments) * segment;
  plan.steps = static_cast<uint32_t>(ceil_div(content, step));
  plan.split = {.step_bytes = static_cast<uint32_t>(step),
                .segment_bytes = static_cast<uint32_t>(segment),
                // A sequence that begins in the step may end a block's size after it.
                .cells_per_frame = static_cast<uint32_t>(step + kMostBlockBytes + 8),
                .starts_per_frame = static_cast<uint32_t>(plan.steps * (step / segment) + 1)};
  const uint64_t each =
      plan.split.cells_per_frame * sizeof(uint32_t) + plan.split.starts_per_frame * sizeof(SegmentStart);
  plan.scratch_bytes += plan.frames_per_slice * each;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::corrupt:
      return "corrupt";
    case Verdict::too_small:
      return "output too small";
    case Verdict::unsupported:
      return "unsupported";
    case Verdict::needs_cpu:
      break;
  }
  return "left to the CPU";
}

BatchPlan plan_batch(uint64_t count, const BatchOptions& options) {
  const uint64_t content = std::clamp<uint64_t>(options.max_out_bytes, 1, kMaxDeviceContent);
  const uint64_t most = std::max<uint64_t>(options.slice_bytes / content, 1);
  const bool split = content > options.split_bytes;
  BatchPlan plan;
  const uint64_t together = std::clamp<uint64_t>(count, 1, std::min<uint64_t>(most, uint64_t{1} << 22));
  plan.streams = split ? 1 : num_streams(together, options);
  plan.frames_per_slice = ceil_div<uint64_t>(together, plan.streams);
  const uint64_t frames = plan.frames_per_slice;
  plan.max_frame_bytes = split ? split_scratch(content) : most_scratch(content);
  // One frame has no rounds.
  const uint64_t share = frames == 1 ? 0 : ceil_div<uint64_t>(frames * plan.max_frame_bytes, kRounds);
  plan.round_bytes = round_up<uint64_t>(share, 16) + 16;
  const uint64_t for_frames = plan.round_bytes + plan.max_frame_bytes + sizeof(Quad);
  const uint64_t each = sizeof(FrameInfo) + 3 * sizeof(uint32_t);
  plan.scratch_bytes = round_up<uint64_t>(frames * each + for_frames, kPartAlignment) + 13 * kPartAlignment;
  plan.blocks_per_frame = ceil_div<uint64_t>(content, kMostBlockBytes);
  if (split) {
    plan_split(plan, content, options.slice_bytes);
  }
  return plan;
}

uint64_t batch_scratch_bytes(uint64_t count, const BatchOptions& options) {
  const BatchPlan plan = plan_batch(count, options);
  return plan.streams * plan.scratch_bytes;
}

Status decode_batch(const BatchFrame* frames, uint64_t count, FrameResult* results,
                    const BatchOptions& options, StreamView stream) {
  const auto run =
      on_backend(stream.backend(), []<Backend kBackend>() { return &decode_batch_on<kBackend>; });
  if (run == nullptr) {
    return stream.backend() == Backend::cpu
               ? Status(StatusCode::invalid_argument, "zstd: decode_batch() needs the stream of a device")
               : missing_backend(stream.backend());
  }
  return count == 0 ? Status() : run(frames, count, results, options, stream);
}

Result<std::vector<std::byte>> decode_all(std::span<const std::byte> in, uint64_t max_bytes,
                                          const DecodeOptions& options, Backend backend) {
  if (backend == Backend::cpu || options.dictionary != nullptr) {
    return decode_all(in, max_bytes, options);
  }
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  std::vector<std::byte> out;
  for (uint64_t at = 0; at < in.size();) {
    BOBBIN_ASSIGN(const std::vector<HostFrame> frames, next_frames(in, at, max_bytes - out.size(), options));
    at = frames.back().at + frames.back().stored;
    if (frames.back().bound <= kMaxDeviceContent) {
      BOBBIN_TRY(HostBatch(in, options, stream.view()).decode(frames, max_bytes, out));
      continue;
    }
    const std::span<const std::byte> large = in.subspan(frames.back().at, frames.back().stored);
    BOBBIN_ASSIGN(const auto by_cpu, decode_all(large, max_bytes - out.size(), options));
    out.insert(out.end(), by_cpu.begin(), by_cpu.end());
  }
  return out;
}

}  // namespace bobbin::zstd
