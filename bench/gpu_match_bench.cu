// SPDX-License-Identifier: Apache-2.0
// Match finding on the GPU: the links of all positions of 64 KiB frames, made of files given on the command
// line and repeated to fill a size, by each kernel and for each key. Links are compared with the CPU's in the
// same run.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "codecs/zstd/match_kernels.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {
namespace {

class MatchBench {
 public:
  MatchBench(StreamView stream, GpuTimer timer, uint64_t bytes)
      : stream_(stream), timer_(std::move(timer)), bytes_(bytes / kFrame * kFrame) {}

  Status measure(const std::string& path) {
    file_ = std::filesystem::path(path).filename().string();
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    BOBBIN_RETURN_IF(text.size() < kFrame, StatusCode::io, path + ": missing, or smaller than a frame");
    content_ = text.substr(0, text.size() / kFrame * kFrame);
    BOBBIN_ASSIGN(const DeviceBuffer in, DeviceBuffer::create(bytes_, stream_));
    for (uint64_t at = 0; at < bytes_; at += content_.size()) {
      const uint64_t some = std::min<uint64_t>(content_.size(), bytes_ - at);
      BOBBIN_TRY(copy_async(in.as<std::byte>() + at, content_.data(), some, stream_));
    }
    BOBBIN_ASSIGN(const DeviceBuffer links, DeviceBuffer::create(bytes_ * sizeof(uint16_t), stream_));
    BOBBIN_TRY(measure_key<4>(in, links));
    BOBBIN_TRY(measure_key<5>(in, links));
    return measure_key<8>(in, links);
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  static constexpr uint32_t kFrame = zstd::kMaxLinkedFrame;

  template <uint32_t kBytes>
  Status measure_key(const DeviceBuffer& in, const DeviceBuffer& links) {
    make_expected(kBytes);
    const zstd::LinkTask task{in.as<std::byte>(), bytes_, kFrame, links.as<uint16_t>(), kFrame};
    BOBBIN_TRY(measure_kernel("walk", kBytes, zstd::WalkKernel<kBytes>{task}, links));
    BOBBIN_TRY(measure_kernel("sort", kBytes, zstd::SortKernel<kBytes>{task}, links));
    return measure_kernel("rounds", kBytes, zstd::RoundsKernel<kBytes>{task}, links);
  }

  void make_expected(uint32_t key_bytes) {
    expected_.clear();
    linked_ = 0;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(content_.data());
    for (uint64_t at = 0; at < content_.size(); at += kFrame) {
      std::vector<uint32_t> previous;
      zstd::link_positions({bytes + at, kFrame}, key_bytes, previous);
      for (const uint32_t link : previous) {
        linked_ += link == zstd::kNoPosition ? 0 : 1;
        expected_.push_back(link == zstd::kNoPosition ? zstd::kNoLink : static_cast<uint16_t>(link));
      }
    }
  }

  template <class Kernel>
  Status measure_kernel(const char* name, uint32_t key_bytes, const Kernel& kernel,
                        const DeviceBuffer& links) {
    const simt::CudaExecutor executor(stream_);
    BOBBIN_TRY(fill_async(links.data(), 0x5A, links.size(), stream_));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] { return executor.run(kernel, bytes_ / kFrame); }));
    std::vector<uint16_t> found(bytes_);
    BOBBIN_TRY(copy_async(found.data(), links.data(), links.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    for (uint64_t i = 0; i < bytes_; ++i) {
      BOBBIN_RETURN_IF(found[i] != expected_[i % expected_.size()], StatusCode::device,
                       file_ + ": " + name + " has another link at " + std::to_string(i));
    }
    const double rate = static_cast<double>(bytes_) / sample.median_s / 1e9;
    const double share = static_cast<double>(linked_) / static_cast<double>(expected_.size());
    table_.add({file_, name, std::to_string(key_bytes), number(100 * share, 1),
                number(sample.median_s * 1e3, 3), number(rate, 1), number(100 * sample.spread, 1),
                number(3 * rate, 0)});
    rows_.push_back({{"file", file_},
                     {"kernel", name},
                     {"key_bytes", key_bytes},
                     {"positions", bytes_},
                     {"linked_share", share},
                     {"seconds", to_json(sample)},
                     {"g_positions_per_s", rate}});
    return {};
  }

  StreamView stream_;
  GpuTimer timer_;
  uint64_t bytes_;
  std::string file_;
  std::string content_;
  std::vector<uint16_t> expected_;
  uint64_t linked_ = 0;
  TextTable table_{
      {"file", "kernel", "key", "linked %", "ms", "G positions/s", "spread %", "GB/s in and out"}, 2};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  MatchBench bench(stream.view(), std::move(timer), arguments.number("--bytes", uint64_t{1} << 28));
  return measure_files(bench, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
