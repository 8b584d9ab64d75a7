// SPDX-License-Identifier: Apache-2.0
// The GPU's figures for scans, compared with cudaMemcpy and CUB in one run: large inputs with their goals,
// and curves over sizes. Results are checked against CUB's in the same run. CUB computes order k with k
// scans, and tuples with a scan of structs.
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <cstring>
#include <string>
#include <vector>

#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "bobbin/scan.hpp"
#include "core/dispatch.hpp"
#include "device/cuda_status.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {
namespace {

struct Args {
  explicit Args(const Arguments& from)
      : log_bytes(static_cast<uint32_t>(from.number("--log-bytes", 32))),
        curves(from.has("--curves")),
        only(from.text("--only")) {}

  uint32_t log_bytes;  // of the large figures' input
  bool curves;
  std::string only;  // "order 2"
};

struct What {
  DType type;
  scan::Options options;
  double bar = 0;
};

template <class T, uint32_t S>
struct Tuple {
  T v[S];
  __host__ __device__ friend Tuple operator+(Tuple a, const Tuple& b) {
    for (uint32_t i = 0; i < S; ++i) {
      a.v[i] += b.v[i];
    }
    return a;
  }
};

class ScanBench {
 public:
  ScanBench(StreamView stream, GpuTimer timer)
      : stream_(stream), timer_(std::move(timer)), workspace_(stream) {}

  // Buffers for inputs of up to `bytes`.
  Status prepare(uint64_t bytes) {
    for (auto* buffer : {&in_, &out_, &expected_}) {
      BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(bytes, stream_));
      buffer->emplace(std::move(fresh));
    }
    const uint64_t quads = bytes / sizeof(Quad);
    return simt::CudaExecutor(stream_).run(FillRandom{{in_->as<Quad>(), quads}},
                                           ceil_div<uint64_t>(quads, FillRandom::kThreads));
  }

  Status measure(const What& what, uint64_t length, bool with_cub) {
    const uint64_t bytes = length * size_bytes(what.type);
    BOBBIN_ASSIGN(const Sample copy,
                  timer_.measure([&] { return copy_async(out_->data(), in_->data(), bytes, stream_); }));
    scan::Options options = what.options;
    options.workspace = &workspace_;
    BOBBIN_ASSIGN(const Sample ours, timer_.measure([&] {
      return scan::run(what.type, scan::Kind::inclusive, in_->data(), out_->data(), length, options, stream_);
    }));
    Sample cub;
    if (with_cub && !is_float(what.type)) {
      BOBBIN_ASSIGN(cub, measure_cub(what, length));
      BOBBIN_TRY(check_same(bytes));
    }
    report(what, length, copy, ours, cub);
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  Result<Sample> measure_cub(const What& what, uint64_t length) {
    return visit_bits(what.type, [&]<class T>(std::type_identity<T>) -> Result<Sample> {
      switch (what.options.tuple) {
        case 1:
          return measure_cub_as<T>(what, length);
        case 2:
          return measure_cub_as<Tuple<T, 2>>(what, length / 2);
        case 3:
          return measure_cub_as<Tuple<T, 3>>(what, length / 3);
        case 5:
          return measure_cub_as<Tuple<T, 5>>(what, length / 5);
        case 8:
          return measure_cub_as<Tuple<T, 8>>(what, length / 8);
        default:
          return Status(StatusCode::unsupported, "this tuple size is not instantiated for CUB");
      }
    });
  }

  template <class V>
  Result<Sample> measure_cub_as(const What& what, uint64_t length) {
    auto* stream = static_cast<cudaStream_t>(stream_.handle());
    const auto* in = in_->as<V>();
    auto* out = expected_->as<V>();
    size_t bytes = 0;
    // CUB is faster with the narrowest type for the count.
    const auto scan_count = [&](void* memory, const V* from, auto count) {
      return BOBBIN_CUDA(
          cub::DeviceScan::InclusiveScan(memory, bytes, from, out, cuda::std::plus<>{}, count, stream));
    };
    const auto scan_once = [&](void* memory, const V* from) {
      return length <= INT32_MAX ? scan_count(memory, from, static_cast<int>(length))
                                 : scan_count(memory, from, length);
    };
    BOBBIN_TRY(scan_once(nullptr, in));
    BOBBIN_ASSIGN(const DeviceBuffer memory, DeviceBuffer::create(bytes, stream_));
    return timer_.measure([&]() -> Status {
      BOBBIN_TRY(scan_once(memory.data(), in));
      for (uint32_t round = 1; round < what.options.order; ++round) {
        BOBBIN_TRY(scan_once(memory.data(), out));
      }
      return {};
    });
  }

  // CUB's tuples end at a whole tuple: the last few values are omitted.
  Status check_same(uint64_t bytes) {
    constexpr uint64_t kPiece = uint64_t{1} << 20;
    constexpr uint64_t kLeftOut = 64;
    std::vector<std::byte> a(std::min(kPiece, bytes));
    std::vector<std::byte> b(a.size());
    for (uint64_t at = 0; at + kLeftOut < bytes; at += std::max<uint64_t>(bytes / 5, 1)) {
      const uint64_t n = std::min(kPiece, bytes - kLeftOut - at);
      BOBBIN_TRY(copy_async(a.data(), out_->as<std::byte>() + at, n, stream_));
      BOBBIN_TRY(copy_async(b.data(), expected_->as<std::byte>() + at, n, stream_));
      BOBBIN_TRY(stream_.synchronize());
      BOBBIN_RETURN_IF(std::memcmp(a.data(), b.data(), n) != 0, StatusCode::device,
                       "the result differs from CUB's");
    }
    return {};
  }

  void report(const What& what, uint64_t length, const Sample& copy, const Sample& ours, const Sample& cub) {
    const uint64_t bytes = 2 * length * size_bytes(what.type);
    const double yardstick = copy.bytes_per_second(bytes);
    const double rate = ours.bytes_per_second(bytes);
    const double cub_rate = cub.bytes_per_second(bytes);
    const bool rounds = what.options.scheme == scan::Scheme::rounds;
    table_.add({std::string(to_string(what.type)) + (rounds ? ", rounds" : ""),
                std::to_string(what.options.order), std::to_string(what.options.tuple),
                std::to_string(length), number(ours.median_s * 1e6, 1), number(cub.median_s * 1e6, 1),
                number(copy.median_s * 1e6, 1), number(rate / 1e9, 0), number(100 * rate / yardstick, 1),
                number(100 * cub_rate / yardstick, 1), number(100 * ours.spread, 1),
                what.bar > 0 ? number(100 * what.bar, 0) : "-"});
    rows_.push_back({{"what", "scan"},
                     {"type", to_string(what.type)},
                     {"scheme", rounds ? "rounds" : "vector"},
                     {"order", what.options.order},
                     {"tuple", what.options.tuple},
                     {"values", length},
                     {"bytes", bytes},
                     {"seconds", to_json(ours)},
                     {"cub_seconds", to_json(cub)},
                     {"memcpy_seconds", to_json(copy)},
                     {"gb_per_s", rate / 1e9},
                     {"share", rate / yardstick},
                     {"cub_share", cub_rate / yardstick},
                     {"bar", what.bar}});
  }

  StreamView stream_;
  GpuTimer timer_;
  scan::Workspace workspace_;
  std::optional<DeviceBuffer> in_;
  std::optional<DeviceBuffer> out_;
  std::optional<DeviceBuffer> expected_;
  TextTable table_{{"type", "order", "tuple", "values", "us", "CUB us", "memcpy us", "GB/s", "% of memcpy",
                    "CUB %", "spread %", "bar %"}};
  Json rows_ = Json::array();
};

std::vector<What> large_figures() {
  std::vector<What> all;
  for (const DType type : {DType::u32, DType::u64}) {
    const auto add = [&](uint32_t order, uint32_t tuple, double bar) {
      all.push_back({type, {.order = order, .tuple = tuple}, bar});
    };
    add(1, 1, 0.93);
    add(2, 1, 0.92);
    add(3, 1, 0);
    add(5, 1, 0.90);
    add(8, 1, 0.88);
    for (const uint32_t tuple : {2, 3, 5, 8}) {
      add(1, tuple, 0.90);
    }
    add(2, 3, 0.88);
    for (const uint32_t order : {1, 2, 5, 8}) {
      all.push_back({type, {.order = order, .scheme = scan::Scheme::rounds}});
    }
  }
  all.push_back({DType::u8, {}, 0.70});
  all.push_back({DType::u16, {}, 0.85});
  all.push_back({DType::f32, {}});
  all.push_back({DType::f64, {}});
  return all;
}

std::vector<What> curve_figures() {
  std::vector<What> all;
  for (const DType type : {DType::u32, DType::u64}) {
    for (const uint32_t order : {1, 2, 5, 8}) {
      all.push_back({type, {.order = order}});
    }
    for (const uint32_t tuple : {2, 5, 8}) {
      all.push_back({type, {.tuple = tuple}});
    }
  }
  return all;
}

Status run(const Arguments& arguments) {
  const Args args(arguments);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  ScanBench bench(stream.view(), std::move(timer));
  const uint64_t bytes = uint64_t{1} << args.log_bytes;
  BOBBIN_TRY(bench.prepare(bytes));
  const auto wanted = [&](const What& what) {
    const std::string name = std::string(to_string(what.type)) + " order " +
                             std::to_string(what.options.order) + " tuple " +
                             std::to_string(what.options.tuple);
    return name.find(args.only) != std::string::npos;
  };
  for (const What& what : large_figures()) {
    if (wanted(what)) {
      BOBBIN_TRY(bench.measure(what, bytes / size_bytes(what.type), true));
    }
  }
  for (uint32_t log = 10; args.curves && log <= 30; ++log) {
    for (const What& what : curve_figures()) {
      if ((size_bytes(what.type) << log) <= bytes && wanted(what)) {
        BOBBIN_TRY(bench.measure(what, uint64_t{1} << log, true));
      }
    }
  }
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
