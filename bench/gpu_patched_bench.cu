// SPDX-License-Identifier: Apache-2.0
// The GPU's figures for arrays with patches, for ALP and for ALP-RD, relative to cudaMemcpy in one run. Bytes
// are those of the encoded array plus those of the values; output is compared with input.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "bench/gpu_columns.cuh"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "codecs/patched/patched.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

struct Args {
  explicit Args(const Arguments& from)
      : values(from.number("--values", uint64_t{1} << 29)),
        floats(from.number("--floats", uint64_t{1} << 29)) {}

  uint64_t values;
  uint64_t floats;
};

// Values of 8 bits with a share of wide ones: anywhere, or in one chunk of ten.
std::vector<uint32_t> make_integers(double share, bool clustered) {
  std::vector<uint32_t> values(kBlock);
  const auto limit = static_cast<uint64_t>(share * (clustered ? 10 : 1) * 4294967296.0);
  for (uint64_t i = 0; i < kBlock; ++i) {
    const uint64_t random = FillRandom::mix(i + 1);
    const bool wide = (random & 0xffffffff) < limit && (!clustered || FillRandom::mix(~(i / 1024)) % 10 == 0);
    values[i] = static_cast<uint32_t>(wide ? random >> 32 : random >> 56);
  }
  return values;
}

// Numbers with all their digits, of eight equally frequent magnitudes, and a share of others.
template <class Float>
std::vector<Float> make_measurements(double exceptions) {
  std::vector<Float> values(kBlock);
  const auto limit = static_cast<uint64_t>(exceptions * 4294967296.0);
  for (uint64_t i = 0; i < kBlock; ++i) {
    const uint64_t random = FillRandom::mix(i + 1);
    const double digits = static_cast<double>(FillRandom::mix(~i) >> 11) / 9007199254740992.0;
    const uint64_t which = random >> 32;
    const uint64_t size = (random & 0xffffffff) < limit ? 41 + which % 37 : 5 * (which % 8);
    values[i] = static_cast<Float>(std::ldexp(1 + digits, static_cast<int>(size)));
  }
  return values;
}

class PatchedBench {
 public:
  PatchedBench(StreamView stream, GpuTimer timer) : stream_(stream), timer_(std::move(timer)) {}

  Status measure_memcpy(uint64_t bytes) {
    BOBBIN_ASSIGN(const DeviceBuffer from, DeviceBuffer::create(bytes, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(bytes, stream_));
    BOBBIN_ASSIGN(const Sample copy,
                  timer_.measure([&] { return copy_async(to.data(), from.data(), bytes, stream_); }));
    memcpy_ = copy.bytes_per_second(2 * bytes);
    return {};
  }

  Status measure_integers(double share, bool clustered, uint64_t count) {
    const std::vector<uint32_t> block = make_integers(share, clustered);
    BOBBIN_ASSIGN(const DeviceBuffer values, repeat(block, count));
    BOBBIN_ASSIGN(const Array array,
                  array::encode_on_device(CodecId::patched, DType::u32, values.data(), count, stream_));
    const std::string what =
        "u32, 8 bits, " + number(100 * share, 1) + " % patches" + (clustered ? ", clustered" : "");
    const double bar = share > 0.05 ? 90 : 95;
    const auto bytes = std::as_bytes(std::span(block));
    BOBBIN_TRY(measure(what, "sorted", array, bytes, bar));
    BOBBIN_ASSIGN(const Array host, array::to_host(array, stream_));
    const Array lanes = codec::patched::to_lanes(host);
    BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(lanes, stream_));
    return measure(what, "by lanes", there.array, bytes, bar);
  }

  // Encodes and decodes.
  template <class Float>
  Status measure_floats(const std::string& what, CodecId codec, const std::vector<Float>& block,
                        uint64_t count, double bar) {
    const DType type = sizeof(Float) == 8 ? DType::f64 : DType::f32;
    const std::string name = codec == CodecId::alp ? "alp" : "alprd";
    BOBBIN_ASSIGN(const DeviceBuffer values, repeat(block, count));
    const auto encode = [&] { return array::encode_on_device(codec, type, values.data(), count, stream_); };
    BOBBIN_ASSIGN(const Array array, encode());
    BOBBIN_TRY(measure(what, name, array, std::as_bytes(std::span(block)), bar));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&]() -> Status {
      const auto again = encode();
      return again.has_value() ? Status{} : again.error();
    }));
    add_row(what, name + ", encoding", array, sample, 0);
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  // Repeats a block as often as necessary.
  template <class T>
  Result<DeviceBuffer> repeat(const std::vector<T>& block, uint64_t count) {
    BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(count * sizeof(T), stream_));
    for (uint64_t at = 0; at < count; at += kBlock) {
      const uint64_t size = std::min(kBlock, count - at) * sizeof(T);
      BOBBIN_TRY(copy_async(values.as<T>() + at, block.data(), size, stream_));
    }
    BOBBIN_TRY(stream_.synchronize());
    return Result<DeviceBuffer>(std::move(values));
  }

  // `expected` are the first bytes of the output.
  Status measure(const std::string& what, const std::string& how, const Array& array,
                 std::span<const std::byte> expected, double bar) {
    const uint64_t raw = array.length * size_bytes(array.type);
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(raw, stream_));
    BOBBIN_ASSIGN(const Sample decode,
                  timer_.measure([&] { return array::decode_on_device(array, out.data(), stream_); }));
    std::vector<std::byte> back(std::min<uint64_t>(expected.size(), raw));
    BOBBIN_TRY(copy_async(back.data(), out.data(), back.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    BOBBIN_RETURN_IF(!std::equal(back.begin(), back.end(), expected.begin()), StatusCode::device,
                     what + ": decoded incorrectly");
    add_row(what, how, array, decode, bar);
    return {};
  }

  void add_row(const std::string& what, const std::string& how, const Array& array, const Sample& sample,
               double bar) {
    const uint64_t raw = array.length * size_bytes(array.type);
    const uint64_t encoded = array::encoded_bytes(array);
    const double rate = sample.bytes_per_second(encoded + raw);
    table_.add({what, how, number(8.0 * static_cast<double>(encoded) / static_cast<double>(array.length), 2),
                number(sample.median_s * 1e3, 3), number(rate / 1e9, 0), number(100 * rate / memcpy_, 1),
                bar > 0 ? number(bar, 0) : "-"});
    rows_.push_back({{"what", what},
                     {"how", how},
                     {"values", array.length},
                     {"encoded_bytes", encoded},
                     {"seconds", to_json(sample)},
                     {"gb_per_s", rate / 1e9},
                     {"output_gb_per_s", sample.bytes_per_second(raw) / 1e9},
                     {"memcpy_gb_per_s", memcpy_ / 1e9},
                     {"share_of_memcpy", rate / memcpy_},
                     {"bar", bar}});
  }

  StreamView stream_;
  GpuTimer timer_;
  double memcpy_ = 0;
  TextTable table_{{"what", "how", "bits per value", "ms", "GB/s in and out", "% of memcpy", "bar"}, 2};
  Json rows_ = Json::array();
};

template <class Float>
Status measure_all_floats(PatchedBench& bench, const std::string& type, uint64_t count) {
  constexpr double kAlpBar = 93;
  constexpr double kAlpRdBar = 90;
  for (const double share : {0.0, 0.01}) {
    const std::string what = type + ", " + number(100 * share, 0) + " % exceptions";
    BOBBIN_TRY(bench.measure_floats(what, CodecId::alp, make_prices<Float>(share), count, kAlpBar));
    BOBBIN_TRY(bench.measure_floats(what, CodecId::alprd, make_measurements<Float>(share), count, kAlpRdBar));
  }
  return {};
}

Status run(const Arguments& arguments) {
  const Args args(arguments);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  PatchedBench bench(stream.view(), std::move(timer));
  BOBBIN_TRY(bench.measure_memcpy(args.values * sizeof(uint32_t)));
  for (const double share : {0.0, 0.001, 0.01, 0.05, 0.1}) {
    BOBBIN_TRY(bench.measure_integers(share, false, args.values));
    if (share > 0) {
      BOBBIN_TRY(bench.measure_integers(share, true, args.values));
    }
  }
  BOBBIN_TRY(measure_all_floats<double>(bench, "f64", args.floats));
  BOBBIN_TRY(measure_all_floats<float>(bench, "f32", args.floats));
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
