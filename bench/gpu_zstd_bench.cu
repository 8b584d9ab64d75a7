// SPDX-License-Identifier: Apache-2.0
// zstd frames on the GPU, compared with cudaMemcpy and, if available, nvCOMP: batches of frames by libzstd
// and by us, made of files given on the command line and repeated to fill a size. Content is checked in the
// same run.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/kept_memory.hpp"
#include "bench/nvcomp.cuh"
#include "bench/program.hpp"
#include "bobbin/zstd.hpp"
#include "codecs/zstd/frame_kernels.hpp"
#include "measure/peers.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {
namespace {

using Plans = zstd::Plans<simt::CudaExecutor>;

struct Choices {
  uint64_t bytes = uint64_t{1} << 30;
  uint64_t frame_bytes = uint64_t{64} << 10;
  uint64_t slice_bytes = uint64_t{1} << 30;
  uint64_t split_bytes = zstd::BatchOptions{}.split_bytes;
  uint32_t streams = 0;  // the library's choice
  int level = 3;
  bool checksums = false;  // in our frames
  bool one = false;        // one large frame, by libzstd

  explicit Choices(const Arguments& arguments) : one(arguments.has("--one")) {
    if (one) {
      bytes = frame_bytes = uint64_t{256} << 20;
    }
    bytes = arguments.number("--bytes", bytes);
    frame_bytes = arguments.number("--frame", frame_bytes);
    slice_bytes = arguments.number("--slice", slice_bytes);
    split_bytes = arguments.number("--split", split_bytes);
    streams = static_cast<uint32_t>(arguments.number("--streams", streams));
    level = static_cast<int>(arguments.number("--level", static_cast<uint64_t>(level)));
    checksums = arguments.has("--checksums");
  }
};

// Frames whose content is `content`, one after another.
struct Frames {
  std::string made_by;
  std::vector<std::byte> content;
  std::vector<std::vector<std::byte>> frames;
  uint64_t frame_bytes = 0;  // of content, except in the last

  [[nodiscard]] std::span<const std::byte> content_of(uint64_t frame) const {
    const std::span<const std::byte> all = content;
    const uint64_t begin = frame * frame_bytes;
    return all.subspan(begin, std::min<uint64_t>(frame_bytes, all.size() - begin));
  }
};

// The goal, in GB of content per second, for frames of 64 KiB and for one large frame.
double decode_bar(const std::string& file, bool ours, bool one) {
  if (one) {
    return 10;
  }
  const bool wikipedia = file.starts_with("wikipedia");
  return ours ? (wikipedia ? 160 : 190) : (wikipedia ? 130 : 150);
}

// A batch on the device: frames repeated, each copy in its own memory.
struct FrameBatch {
  DeviceBuffer in;
  DeviceBuffer out;
  DeviceBuffer list;
  DeviceBuffer results;
  std::vector<zstd::BatchFrame> frames;
  uint64_t content_bytes = 0;
  uint64_t stored_bytes = 0;

  static constexpr uint64_t kAlignment = 16;  // nvCOMP requires 8

  static Result<FrameBatch> create(const Frames& made, uint64_t bytes, StreamView stream) {
    const uint64_t count = std::max<uint64_t>(bytes / made.frame_bytes, 1);
    uint64_t stored = 0;
    std::vector<uint64_t> begins;
    for (uint64_t i = 0; i < count; ++i) {
      begins.push_back(stored);
      stored += round_up<uint64_t>(made.frames[i % made.frames.size()].size(), kAlignment);
    }
    std::vector<std::byte> host(stored);
    BOBBIN_ASSIGN(DeviceBuffer in, DeviceBuffer::create(stored, stream));
    BOBBIN_ASSIGN(DeviceBuffer out, DeviceBuffer::create(count * made.frame_bytes, stream));
    BOBBIN_ASSIGN(DeviceBuffer list, DeviceBuffer::create(count * sizeof(zstd::BatchFrame), stream));
    BOBBIN_ASSIGN(DeviceBuffer results, DeviceBuffer::create(count * sizeof(zstd::FrameResult), stream));
    FrameBatch batch{std::move(in), std::move(out), std::move(list), std::move(results), {}, 0, 0};
    for (uint64_t i = 0; i < count; ++i) {
      const auto& frame = made.frames[i % made.frames.size()];
      std::ranges::copy(frame, host.begin() + static_cast<ptrdiff_t>(begins[i]));
      const uint64_t content = made.content_of(i % made.frames.size()).size();
      batch.frames.push_back({batch.in.as<std::byte>() + begins[i], frame.size(),
                              batch.out.as<std::byte>() + i * made.frame_bytes, content});
      batch.content_bytes += content;
      batch.stored_bytes += frame.size();
    }
    BOBBIN_TRY(copy_async(batch.in.data(), host.data(), host.size(), stream));
    BOBBIN_TRY(copy_async(batch.list.data(), batch.frames.data(), batch.list.size(), stream));
    BOBBIN_TRY(stream.synchronize());
    return Result<FrameBatch>(std::move(batch));
  }
};

class ZstdBench {
 public:
  ZstdBench(StreamView stream, GpuTimer timer, std::optional<Nvcomp> nvcomp, const Choices& choices)
      : stream_(stream), timer_(std::move(timer)), nvcomp_(nvcomp), choices_(choices) {}

  Status measure(const std::string& path) {
    file_ = std::filesystem::path(path).filename().string();
    BOBBIN_ASSIGN(const std::vector<std::byte> content, read(path));
    BOBBIN_TRY(measure_frames(by_libzstd(content)));
    if (choices_.one) {
      return {};
    }
    BOBBIN_ASSIGN(const Frames ours, by_us(content));
    return measure_frames(ours);
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  // A file's bytes, up to the last whole frame if there is one.
  [[nodiscard]] Result<std::vector<std::byte>> read(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    BOBBIN_RETURN_IF(text.empty(), StatusCode::io, path + ": empty or not there");
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    std::vector<std::byte> content(bytes, bytes + text.size());
    // A frame that is longer than the file repeats the file's bytes.
    while (content.size() < choices_.frame_bytes) {
      const auto more =
          static_cast<ptrdiff_t>(std::min(content.size(), choices_.frame_bytes - content.size()));
      const std::vector<std::byte> part(content.begin(), content.begin() + more);
      content.insert(content.end(), part.begin(), part.end());
    }
    content.resize(content.size() / choices_.frame_bytes * choices_.frame_bytes);
    return content;
  }

  [[nodiscard]] Frames by_libzstd(const std::vector<std::byte>& content) const {
    Frames made{"libzstd -" + std::to_string(choices_.level), content, {}, choices_.frame_bytes};
    for (uint64_t i = 0; i * choices_.frame_bytes < content.size(); ++i) {
      const auto frame = zstd_frame(made.content_of(i), choices_.level);
      if (!frame.has_value()) {
        return {};  // libzstd is not in this build
      }
      made.frames.push_back(*frame);
    }
    return made;
  }

  [[nodiscard]] Result<Frames> by_us(const std::vector<std::byte>& content) const {
    const zstd::EncodeOptions options{.level = static_cast<uint32_t>(choices_.level),
                                      .frame_bytes = static_cast<uint32_t>(choices_.frame_bytes),
                                      .checksum = choices_.checksums,
                                      .threads = 0};
    BOBBIN_ASSIGN(const auto frames, zstd::encode(content, options));
    BOBBIN_ASSIGN(const auto listed, zstd::list_frames(frames));
    Frames made{"bobbin -" + std::to_string(choices_.level), content, {}, choices_.frame_bytes};
    for (const zstd::SeekEntry& entry : listed) {
      const auto begin = frames.begin() + static_cast<ptrdiff_t>(entry.compressed_begin);
      made.frames.emplace_back(begin, begin + static_cast<ptrdiff_t>(entry.compressed_bytes));
    }
    return made;
  }

  Status measure_frames(const Frames& made) {
    if (made.frames.empty()) {
      return {};
    }
    made_by_ = made.made_by;
    BOBBIN_ASSIGN(const FrameBatch batch, FrameBatch::create(made, choices_.bytes, stream_));
    bytes_ = batch.content_bytes;
    ratio_ = static_cast<double>(bytes_) / static_cast<double>(batch.stored_bytes);
    BOBBIN_TRY(measure_memcpy(batch));
    BOBBIN_TRY(measure_ours(made, batch));
    return nvcomp_.has_value() ? measure_nvcomp(made, batch) : Status();
  }

  Status measure_memcpy(const FrameBatch& batch) {
    BOBBIN_ASSIGN(const DeviceBuffer from, DeviceBuffer::create(batch.out.size(), stream_));
    BOBBIN_ASSIGN(const Sample copy, timer_.measure([&] {
      return copy_async(batch.out.data(), from.data(), batch.out.size(), stream_);
    }));
    memcpy_ = copy.bytes_per_second(2 * batch.out.size());
    return {};
  }

  Status measure_ours(const Frames& made, const FrameBatch& batch) {
    zstd::BatchOptions options{.max_out_bytes = made.frame_bytes,
                               .slice_bytes = choices_.slice_bytes,
                               .split_bytes = choices_.split_bytes,
                               .streams = choices_.streams};
    const uint64_t scratch = zstd::batch_scratch_bytes(batch.frames.size(), options);
    BOBBIN_ASSIGN(DeviceBuffer kept, DeviceBuffer::create(scratch, stream_));
    KeptMemory memory(std::move(kept));
    options.memory = &memory;
    const auto* const frames = batch.list.as<zstd::BatchFrame>();
    auto* const results = batch.results.as<zstd::FrameResult>();
    BOBBIN_TRY(fill_async(batch.out.data(), 0, batch.out.size(), stream_));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] {
      return zstd::decode_batch(frames, batch.frames.size(), results, options, stream_);
    }));
    BOBBIN_TRY(check(made, batch));
    BOBBIN_TRY(check_results(batch));
    add("decode", sample, scratch, decode_bar(file_, made.made_by.starts_with("bobbin"), choices_.one));
    options.streams = 1;
    return measure_stages(batch, options);
  }

  // The time from launch to launch in one stream, each stage's median over some runs; rounds are summed.
  Status measure_stages(const FrameBatch& batch, const zstd::BatchOptions& options) {
    std::map<std::string, std::vector<double>> seconds;
    constexpr int kRuns = 7;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<std::pair<std::string, Event>> events;
      const auto record = [&](const char* stage) -> Status {
        BOBBIN_ASSIGN(Event event, Event::create(Backend::cuda));
        BOBBIN_TRY(event.record(stream_));
        events.emplace_back(stage, std::move(event));
        return {};
      };
      BOBBIN_TRY(record("start"));
      BOBBIN_TRY(Plans::decode(batch.list.as<zstd::BatchFrame>(), batch.frames.size(),
                               batch.results.as<zstd::FrameResult>(), options, stream_, record));
      BOBBIN_TRY(stream_.synchronize());
      std::map<std::string, double> sums;
      for (size_t i = 1; i < events.size(); ++i) {
        BOBBIN_ASSIGN(const double ms, events[i].second.elapsed_ms_since(events[i - 1].second));
        sums[events[i].first] += ms / 1e3;
      }
      for (const auto& [stage, sum] : sums) {
        seconds[stage].push_back(sum);
      }
    }
    for (auto& [stage, all] : seconds) {
      add("stage: " + stage, summarize(std::move(all)), 0, 0);
    }
    return {};
  }

  Status measure_nvcomp(const Frames& made, const FrameBatch& batch) {
    const size_t count = batch.frames.size();
    std::vector<uint64_t> words;  // pointers and sizes, array after array
    for (const auto& frame : batch.frames) {
      words.push_back(reinterpret_cast<uint64_t>(frame.in));
    }
    for (const auto& frame : batch.frames) {
      words.push_back(frame.in_bytes);
    }
    for (const auto& frame : batch.frames) {
      words.push_back(frame.out_bytes);
    }
    for (const auto& frame : batch.frames) {
      words.push_back(reinterpret_cast<uint64_t>(frame.out));
    }
    BOBBIN_ASSIGN(const DeviceBuffer arrays, DeviceBuffer::create(6 * count * sizeof(uint64_t), stream_));
    BOBBIN_TRY(copy_async(arrays.data(), words.data(), words.size() * sizeof(uint64_t), stream_));
    BOBBIN_ASSIGN(const size_t temp_bytes, nvcomp_->temp_size(count, made.frame_bytes, batch.content_bytes));
    BOBBIN_ASSIGN(const DeviceBuffer temp, DeviceBuffer::create(temp_bytes, stream_));
    auto* const first = arrays.as<uint64_t>();
    const Nvcomp::Batch theirs{.in = reinterpret_cast<const void* const*>(first),
                               .in_bytes = reinterpret_cast<const size_t*>(first + count),
                               .out_bytes = reinterpret_cast<const size_t*>(first + 2 * count),
                               .decoded_bytes = reinterpret_cast<size_t*>(first + 4 * count),
                               .out = reinterpret_cast<void* const*>(first + 3 * count),
                               .statuses = reinterpret_cast<int*>(first + 5 * count),
                               .count = count,
                               .temp = temp.data(),
                               .temp_bytes = temp_bytes};
    BOBBIN_TRY(fill_async(batch.out.data(), 0, batch.out.size(), stream_));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] {
      return nvcomp_->decompress(theirs, static_cast<cudaStream_t>(stream_.handle()));
    }));
    BOBBIN_TRY(check(made, batch));
    add("nvCOMP decode", sample, temp_bytes, 0);
    return {};
  }

  Status check(const Frames& made, const FrameBatch& batch) const {
    std::vector<std::byte> out(batch.out.size());
    BOBBIN_TRY(copy_async(out.data(), batch.out.data(), out.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    for (uint64_t i = 0; i < batch.frames.size(); ++i) {
      const auto content = made.content_of(i % made.frames.size());
      BOBBIN_RETURN_IF(std::memcmp(content.data(), out.data() + i * made.frame_bytes, content.size()) != 0,
                       StatusCode::device, file_ + ": frame " + std::to_string(i) + " decoded wrongly");
    }
    return {};
  }
  Status check_results(const FrameBatch& batch) const {
    std::vector<zstd::FrameResult> results(batch.frames.size());
    BOBBIN_TRY(copy_async(results.data(), batch.results.data(), batch.results.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    for (const zstd::FrameResult& result : results) {
      BOBBIN_RETURN_IF(result.verdict != zstd::Verdict::ok, StatusCode::device,
                       file_ + ": a frame is " + std::string(zstd::to_string(result.verdict)));
    }
    return {};
  }

  // GB of content per second.
  void add(const std::string& what, const Sample& sample, uint64_t scratch, double bar) {
    const double rate = sample.bytes_per_second(bytes_) / 1e9;
    const double share = static_cast<double>(scratch) / static_cast<double>(bytes_);
    table_.add({file_, made_by_, what, number(ratio_, 2), number(sample.median_s * 1e3, 3), number(rate, 1),
                number(100 * sample.spread, 1), scratch > 0 ? number(share, 2) : "-",
                bar > 0 ? number(bar, 0) : "-"});
    rows_.push_back({{"file", file_},
                     {"frames", made_by_},
                     {"frame_bytes", choices_.frame_bytes},
                     {"what", what},
                     {"bytes", bytes_},
                     {"ratio", ratio_},
                     {"seconds", to_json(sample)},
                     {"gb_per_s", rate},
                     {"memcpy_gb_per_s", memcpy_ / 1e9},
                     {"scratch_bytes", scratch},
                     {"bar", bar}});
  }

  StreamView stream_;
  GpuTimer timer_;
  std::optional<Nvcomp> nvcomp_;
  Choices choices_;
  std::string file_;
  std::string made_by_;
  uint64_t bytes_ = 0;
  double ratio_ = 0;
  double memcpy_ = 0;
  TextTable table_{{"file", "frames", "what", "ratio", "ms", "GB/s", "spread %", "scratch", "bar"}, 3};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  BOBBIN_ASSIGN(const std::optional<Nvcomp> nvcomp, Nvcomp::load());
  ZstdBench bench(stream.view(), std::move(timer), nvcomp, Choices(arguments));
  return measure_files(bench, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run, {"--one", "--checksums"});
}
