// SPDX-License-Identifier: Apache-2.0
// The GPU's figures for arrays with patches and for ALP, beside cudaMemcpy in one run. Bytes are those of the
// encoded array plus those written; what comes out is compared with what went in.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/report.hpp"
#include "codecs/patched/patched.hpp"

namespace bobbin::bench {
namespace {

struct Args {
  std::string out;
  uint64_t values = uint64_t{1} << 29;
  uint64_t floats = uint64_t{1} << 28;  // they are encoded on the CPU, which takes long
};

// A block of values that is repeated on the card.
constexpr uint64_t kBlock = uint64_t{1} << 22;

// Values of 8 bits, and a share of wide ones: anywhere, or in one chunk of ten.
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

// Prices of two digits, one in a hundred with all its bits.
template <class Float>
std::vector<Float> make_prices(uint64_t count, double exceptions) {
  std::vector<Float> values(count);
  const auto limit = static_cast<uint64_t>(exceptions * 4294967296.0);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t random = FillRandom::mix(i % kBlock + 1);
    const double price = static_cast<double>(random >> 48) / 100;
    values[i] = static_cast<Float>((random & 0xffffffff) < limit ? std::sqrt(price + 0.1) : price);
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
    BOBBIN_ASSIGN(DeviceBuffer values, DeviceBuffer::create(count * sizeof(uint32_t), stream_));
    for (uint64_t at = 0; at < count; at += kBlock) {
      BOBBIN_TRY(copy_async(values.as<uint32_t>() + at, block.data(), kBlock * sizeof(uint32_t), stream_));
    }
    BOBBIN_TRY(stream_.synchronize());
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

  template <class Float>
  Status measure_floats(const std::string& what, double exceptions, uint64_t count, double bar) {
    const std::vector<Float> values = make_prices<Float>(count, exceptions);
    const DType type = sizeof(Float) == 8 ? DType::f64 : DType::f32;
    BOBBIN_ASSIGN(const Array array, array::encode(CodecId::alp, {type, values.data(), count}, Backend::cpu));
    BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(array, stream_));
    return measure(what, "alp", there.array, std::as_bytes(std::span(values)), bar);
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
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
                     what + ": decoded wrongly");
    const uint64_t encoded = array::encoded_bytes(array);
    const double rate = decode.bytes_per_second(encoded + raw);
    table_.add({what, how, number(8.0 * static_cast<double>(encoded) / static_cast<double>(array.length), 2),
                number(decode.median_s * 1e3, 3), number(rate / 1e9, 0), number(100 * rate / memcpy_, 1),
                bar > 0 ? number(bar, 0) : "-"});
    rows_.push_back({{"what", what},
                     {"how", how},
                     {"values", array.length},
                     {"encoded_bytes", encoded},
                     {"seconds", to_json(decode)},
                     {"gb_per_s", rate / 1e9},
                     {"output_gb_per_s", decode.bytes_per_second(raw) / 1e9},
                     {"memcpy_gb_per_s", memcpy_ / 1e9},
                     {"share_of_memcpy", rate / memcpy_},
                     {"bar", bar}});
    return {};
  }

  StreamView stream_;
  GpuTimer timer_;
  double memcpy_ = 0;
  Table table_{{"what", "how", "bits a value", "ms", "GB/s in and out", "% of memcpy", "bar"}, 2};
  Json rows_ = Json::array();
};

Status run(const Args& args) {
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
  BOBBIN_TRY(bench.measure_floats<double>("f64, 16 bits", 0, args.floats, 93));
  BOBBIN_TRY(bench.measure_floats<double>("f64, 16 bits, 1 % exceptions", 0.01, args.floats, 93));
  BOBBIN_TRY(bench.measure_floats<float>("f32, 16 bits", 0, args.floats, 93));
  BOBBIN_TRY(bench.measure_floats<float>("f32, 16 bits, 1 % exceptions", 0.01, args.floats, 93));
  const Machine machine = describe_machine();
  std::printf("%s\n%s\n", report_head(machine).c_str(), bench.markdown().c_str());
  return args.out.empty() ? Status{} : write_text(args.out, dump(make_report(machine, bench.rows())) + "\n");
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  bobbin::bench::Args args;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--out") == 0) {
      args.out = argv[++i];
    } else if (std::strcmp(argv[i], "--values") == 0) {
      args.values = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--floats") == 0) {
      args.floats = std::strtoull(argv[++i], nullptr, 10);
    }
  }
  if (const bobbin::Status status = bobbin::bench::run(args); !status.ok()) {
    std::fprintf(stderr, "bobbin-bench-gpu-patched: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
