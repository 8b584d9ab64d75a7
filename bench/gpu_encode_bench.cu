// SPDX-License-Identifier: Apache-2.0
// zstd frames made on the GPU, of files given on the command line and repeated to fill a size. The frames are
// compared with those of the CPU encoder in the same run.
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
#include "bench/program.hpp"
#include "bobbin/zstd.hpp"
#include "codecs/zstd/encode_launch.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {
namespace {

using Plans = zstd::EncodePlans<simt::CudaExecutor>;

struct Choices {
  uint64_t bytes = 0;
  zstd::EncodeBatchOptions options;
  std::vector<uint32_t> levels{1, 3};

  explicit Choices(const Arguments& arguments) : bytes(arguments.number("--bytes", uint64_t{1} << 30)) {
    options.checksum = arguments.has("--checksums");
    options.slice_bytes = arguments.number("--slice", options.slice_bytes);
    if (arguments.has("--level")) {
      levels = {static_cast<uint32_t>(arguments.number("--level", 0))};
    }
  }
};

class EncodeBench {
 public:
  EncodeBench(StreamView stream, GpuTimer timer, const Choices& choices)
      : stream_(stream), timer_(std::move(timer)), choices_(choices), options_(choices.options) {}

  Status measure(const std::string& path) {
    file_ = std::filesystem::path(path).filename().string();
    std::ifstream file(path, std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    text_.resize(text_.size() / options_.frame_bytes * options_.frame_bytes);
    BOBBIN_RETURN_IF(text_.empty(), StatusCode::io, path + ": missing, or smaller than a frame");
    bytes_ = std::max<uint64_t>(choices_.bytes / text_.size(), 1) * text_.size();
    BOBBIN_ASSIGN(const DeviceBuffer in, DeviceBuffer::create(bytes_ + 4, stream_));
    for (uint64_t at = 0; at < bytes_; at += text_.size()) {
      BOBBIN_TRY(copy_async(in.as<std::byte>() + at, text_.data(), text_.size(), stream_));
    }
    BOBBIN_TRY(stream_.synchronize());
    for (const uint32_t level : choices_.levels) {
      options_.level = level;
      BOBBIN_TRY(measure_level(in));
    }
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  Status measure_level(const DeviceBuffer& in) {
    const uint64_t bound = zstd::encode_bound(bytes_, options_);
    const uint64_t frames = zstd::encode_frames(bytes_, options_);
    scratch_ = zstd::encode_scratch_bytes(bytes_, options_);
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(bound, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer ends, DeviceBuffer::create(frames * sizeof(uint64_t), stream_));
    BOBBIN_ASSIGN(DeviceBuffer kept, DeviceBuffer::create(scratch_, stream_));
    KeptMemory memory(std::move(kept));
    options_.memory = &memory;
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] {
      return zstd::encode_batch(in.as<std::byte>(), bytes_, out.as<std::byte>(), bound, ends.as<uint64_t>(),
                                options_, stream_);
    }));
    BOBBIN_TRY(check(out, ends, frames));
    add("encode", sample);
    return measure_stages(in, out, ends);
  }

  // The time from launch to launch, each stage's median over some runs; slices are summed.
  Status measure_stages(const DeviceBuffer& in, const DeviceBuffer& out, const DeviceBuffer& ends) {
    std::map<std::string, std::vector<double>> seconds;
    constexpr int kRuns = 5;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<std::pair<std::string, Event>> events;
      const auto record = [&](const char* stage) -> Status {
        BOBBIN_ASSIGN(Event event, Event::create(Backend::cuda));
        BOBBIN_TRY(event.record(stream_));
        events.emplace_back(stage, std::move(event));
        return {};
      };
      BOBBIN_TRY(record("start"));
      BOBBIN_TRY(Plans::encode(in.as<std::byte>(), bytes_, out.as<std::byte>(), ends.as<uint64_t>(), options_,
                               stream_, record));
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
      add("stage: " + stage, summarize(std::move(all)));
    }
    return {};
  }

  Status check(const DeviceBuffer& out, const DeviceBuffer& ends, uint64_t frames) {
    BOBBIN_ASSIGN(const auto expected,
                  zstd::encode(std::as_bytes(std::span(text_)), {.level = options_.level,
                                                                 .frame_bytes = options_.frame_bytes,
                                                                 .block_bytes = options_.block_bytes,
                                                                 .checksum = options_.checksum,
                                                                 .threads = 0}));
    std::vector<uint64_t> host_ends(frames);
    BOBBIN_TRY(copy_async(host_ends.data(), ends.data(), ends.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    const uint64_t copies = bytes_ / text_.size();
    BOBBIN_RETURN_IF(host_ends.back() != copies * expected.size(), StatusCode::device,
                     file_ + ": other sizes than the CPU's");
    std::vector<std::byte> coded(host_ends.back());
    BOBBIN_TRY(copy_async(coded.data(), out.data(), coded.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    for (uint64_t i = 0; i < copies; ++i) {
      BOBBIN_RETURN_IF(std::memcmp(coded.data() + i * expected.size(), expected.data(), expected.size()) != 0,
                       StatusCode::device, file_ + ": other bytes than the CPU's");
    }
    ratio_ = static_cast<double>(text_.size()) / static_cast<double>(expected.size());
    return {};
  }

  // GB of content per second.
  void add(const std::string& what, const Sample& sample) {
    const double rate = sample.bytes_per_second(bytes_) / 1e9;
    const double share = static_cast<double>(scratch_) / static_cast<double>(bytes_);
    const double bar = what != "encode" ? 0 : options_.level == 1 ? 20 : options_.level == 3 ? 12 : 0;
    table_.add({file_, std::to_string(options_.level), what, number(ratio_, 2),
                number(sample.median_s * 1e3, 3), number(rate, 1), number(100 * sample.spread, 1),
                number(share, 2), bar > 0 ? number(bar, 0) : "-"});
    rows_.push_back({{"file", file_},
                     {"level", options_.level},
                     {"what", what},
                     {"bytes", bytes_},
                     {"ratio", ratio_},
                     {"seconds", to_json(sample)},
                     {"gb_per_s", rate},
                     {"scratch_bytes", scratch_},
                     {"bar", bar}});
  }

  StreamView stream_;
  GpuTimer timer_;
  Choices choices_;
  zstd::EncodeBatchOptions options_;
  std::string file_;
  std::string text_;
  uint64_t bytes_ = 0;
  uint64_t scratch_ = 0;
  double ratio_ = 0;
  TextTable table_{{"file", "level", "what", "ratio", "ms", "GB/s", "spread %", "scratch", "bar"}, 3};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  EncodeBench bench(stream.view(), std::move(timer), Choices(arguments));
  return measure_files(bench, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run, {"--checksums"});
}
