// SPDX-License-Identifier: Apache-2.0
// The GPU's figures for strings, relative to cudaMemcpy in one run: decoding, with the library and with the
// steps described in docs/perf/fsst.md; computing the tiles of codes that have none; encoding; equality with
// a constant. Decoded bytes are checked in the same run.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "array/strings.hpp"
#include "bench/fsst_steps.cuh"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "bench/rates.hpp"
#include "bench/texts.hpp"
#include "codecs/fsst/kernels.hpp"
#include "codecs/registry.hpp"
#include "device/cuda_status.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {
namespace {

namespace fsst = codec::fsst;
using Plans = fsst::Plans<simt::CudaExecutor>;

struct Args {
  explicit Args(const Arguments& from)
      : data(from.text("--data")),
        only(from.text("--only")),
        bytes(from.number("--bytes", 1'000'000'000)),
        steps(from.has("--steps")) {}

  std::string data;  // folder with texts
  std::string only;  // text
  uint64_t bytes;
  bool steps;
};

// The goal, in GB of decoded bytes per second.
double decode_bar(const std::string& text) {
  if (text == "urls" || text == "l_comment") {
    return 1200;
  }
  return text == "c_name" ? 1000 : text == "wikipedia" || text == "email" ? 800 : 0;
}

// One thread per decoded string.
struct ComparePlainStrings {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  simt::Global<const uint32_t> offsets;
  simt::Global<const uint8_t> bytes;
  simt::Global<const uint8_t> wanted;
  simt::Global<uint32_t> bitmap;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    bool same = false;
    if (i + 1 < offsets.size) {
      const uint32_t begin = cta.load(offsets, i);
      same = cta.load(offsets, i + 1) - begin == wanted.size;
      for (uint32_t b = 0; same && b < wanted.size; ++b) {
        same = cta.load(bytes, begin + b) == cta.load(wanted, b);
      }
    }
    const uint32_t word = cta.ballot(same);
    if (cta.lane() == 0 && i + 1 < offsets.size) {
      cta.store(bitmap, i / 32, word);
    }
  }
};

class StringsBench {
 public:
  StringsBench(StreamView stream, GpuTimer timer) : stream_(stream), timer_(std::move(timer)) {}

  Status measure(const Text& text, const Args& args) {
    BOBBIN_ASSIGN(const Strings strings, load(text, args.bytes));
    BOBBIN_ASSIGN(const Array encoded,
                  array::encode_strings(CodecId::fsst, strings.view(), nullptr, Backend::cpu));
    BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(encoded, stream_));
    BOBBIN_TRY(stream_.synchronize());
    text_ = text.name;
    bytes_ = strings.bytes.size();
    factor_ = static_cast<double>(bytes_) / static_cast<double>(encoded.buffers[1].bytes.size());
    BOBBIN_TRY(measure_memcpy());
    BOBBIN_TRY(measure_decode(there.array, strings));
    if (args.steps) {
      BOBBIN_TRY(measure_steps(encoded, there.array, strings));
    }
    BOBBIN_TRY(measure_index(there.array));
    BOBBIN_TRY(measure_match(there.array, strings));
    return measure_encode(encoded, strings);
  }

  [[nodiscard]] std::string markdown() const { return rates_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rates_.rows(); }

 private:
  Status measure_memcpy() {
    BOBBIN_ASSIGN(const DeviceBuffer from, DeviceBuffer::create(bytes_, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(bytes_, stream_));
    BOBBIN_ASSIGN(const Sample copy,
                  timer_.measure([&] { return copy_async(to.data(), from.data(), bytes_, stream_); }));
    memcpy_ = copy.bytes_per_second(2 * bytes_);
    return {};
  }

  // Memory for decoded strings.
  struct Output {
    DeviceBuffer offsets;
    DeviceBuffer bytes;
    DeviceBuffer fault;

    static Result<Output> create(const Strings& strings, StreamView stream) {
      BOBBIN_ASSIGN(DeviceBuffer offsets, DeviceBuffer::create(strings.offsets.size() * 8, stream));
      BOBBIN_ASSIGN(DeviceBuffer bytes, DeviceBuffer::create(strings.bytes.size(), stream));
      BOBBIN_ASSIGN(DeviceBuffer fault, DeviceBuffer::create(4, stream));
      BOBBIN_TRY(fill_async(fault.data(), 0, 4, stream));
      BOBBIN_TRY(fill_async(bytes.data(), 0, bytes.size(), stream));
      return Output{std::move(offsets), std::move(bytes), std::move(fault)};
    }
    [[nodiscard]] StringsOut out() const { return {offsets.data(), bytes.as<uint8_t>()}; }
  };

  Status check(const Output& output, const Strings& strings) const {
    std::vector<uint8_t> bytes(strings.bytes.size());
    uint32_t fault = 0;
    BOBBIN_TRY(copy_async(bytes.data(), output.bytes.data(), bytes.size(), stream_));
    BOBBIN_TRY(copy_async(&fault, output.fault.data(), 4, stream_));
    BOBBIN_TRY(stream_.synchronize());
    BOBBIN_RETURN_IF(fault != 0 || !std::ranges::equal(bytes, strings.bytes), StatusCode::device,
                     text_ + ": decoded incorrectly");
    return {};
  }

  Status measure_decode(const Array& array, const Strings& strings) {
    BOBBIN_ASSIGN(const Output output, Output::create(strings, stream_));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] {
      return Plans::decode(array, {}, output.out(), output.fault.as<uint32_t>(), stream_);
    }));
    BOBBIN_TRY(check(output, strings));
    add("decode, bytes and offsets", sample, decode_bar(text_));
    return {};
  }

  Status measure_steps(const Array& host, const Array& array, const Strings& strings) {
    BOBBIN_ASSIGN(const Output output, Output::create(strings, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer code_offsets, DeviceBuffer::create(strings.offsets.size() * 8, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer offsets, DeviceBuffer::create(strings.offsets.size() * 8, stream_));
    BOBBIN_TRY(array::decode_on_device(array.children[0], code_offsets.data(), stream_));
    BOBBIN_TRY(array::decode_on_device(array.children[1], offsets.data(), stream_));
    const fsst::Parts parts(host);
    const fsst::SymbolTable table = parts.table();
    uint8_t lengths[256];
    std::copy(table.lengths.begin(), table.lengths.end(), lengths);
    std::vector<uint32_t> split_codes;
    std::vector<uint32_t> split_bytes;
    make_splits(parts.codes, lengths, split_codes, split_bytes);
    BOBBIN_ASSIGN(const auto symbols_there,
                  codec::DeviceArray<uint64_t>::copy_of(table.symbols.data(), 256, stream_));
    BOBBIN_ASSIGN(const auto lengths_there, codec::DeviceArray<uint8_t>::copy_of(lengths, 256, stream_));
    BOBBIN_ASSIGN(const auto split_codes_there,
                  codec::DeviceArray<uint32_t>::copy_of(split_codes.data(), split_codes.size(), stream_));
    BOBBIN_ASSIGN(const auto split_bytes_there,
                  codec::DeviceArray<uint32_t>::copy_of(split_bytes.data(), split_bytes.size(), stream_));
    const StepInput input{.codes = reinterpret_cast<const uint8_t*>(array.buffers[1].bytes.data()),
                          .code_bytes = parts.codes.size(),
                          .code_offsets = code_offsets.as<uint32_t>(),
                          .offsets = offsets.as<uint32_t>(),
                          .strings = strings.length(),
                          .symbols = symbols_there.read().data,
                          .lengths = lengths_there.read().data,
                          .split_codes = split_codes_there.read().data,
                          .split_bytes = split_bytes_there.read().data,
                          .splits = split_codes.size() - 1,
                          .out = output.bytes.as<uint8_t>()};
    for (const Step& step : kSteps) {
      BOBBIN_TRY(fill_async(output.bytes.data(), 0, output.bytes.size(), stream_));
      BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] {
        step.launch(input, static_cast<cudaStream_t>(stream_.handle()));
        return BOBBIN_CUDA(cudaGetLastError());
      }));
      BOBBIN_TRY(check(output, strings));
      add(std::string("step: ") + step.name, sample, 0);
    }
    return {};
  }

  Status measure_index(const Array& array) {
    BOBBIN_ASSIGN(const auto fault, codec::DeviceArray<uint32_t>::zeros(1, stream_));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&]() -> Status {
      const auto index = Plans::index(Plans::stream_of(array), fault.get().data, stream_);
      return index.has_value() ? Status{} : index.error();
    }));
    add("tiles of codes without", sample, 400);
    return {};
  }

  // Equality with a constant on codes, compared with decoding everything and comparing.
  Status measure_match(const Array& array, const Strings& strings) {
    const auto constant = strings.view().string(strings.length() / 2);
    const StringQuery query{StringTest::equals, constant};
    BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(strings.length() / 8 + 8, stream_));
    BOBBIN_ASSIGN(const auto fault, codec::DeviceArray<uint32_t>::zeros(1, stream_));
    BOBBIN_ASSIGN(const Sample sample, timer_.measure([&] {
      return Plans::match(array, query, bitmap.as<uint32_t>(), fault.get().data, stream_);
    }));
    add("equality on codes", sample, 0);
    BOBBIN_ASSIGN(const Output output, Output::create(strings, stream_));
    BOBBIN_ASSIGN(const auto wanted,
                  codec::DeviceArray<uint8_t>::copy_of(constant.data(), constant.size(), stream_));
    const ComparePlainStrings kernel{.offsets = {output.offsets.as<uint32_t>(), strings.length() + 1},
                                     .bytes = {output.bytes.as<uint8_t>(), bytes_},
                                     .wanted = wanted.read(),
                                     .bitmap = {bitmap.as<uint32_t>(), strings.length() / 32 + 1}};
    BOBBIN_ASSIGN(const Sample both, timer_.measure([&]() -> Status {
      BOBBIN_TRY(Plans::decode(array, {}, output.out(), output.fault.as<uint32_t>(), stream_));
      return simt::CudaExecutor(stream_).run(
          kernel, ceil_div<uint64_t>(strings.length(), ComparePlainStrings::kThreads));
    }));
    add("equality by decoding and comparing", both, 0);
    return {};
  }

  // From strings in device memory to an array there, including the host's part; measured with the host's
  // clock, because it waits.
  Status measure_encode(const Array& expected, const Strings& strings) {
    BOBBIN_ASSIGN(const auto offsets, codec::DeviceArray<uint64_t>::copy_of(strings.offsets.data(),
                                                                            strings.offsets.size(), stream_));
    BOBBIN_ASSIGN(const auto bytes,
                  codec::DeviceArray<uint8_t>::copy_of(strings.bytes.data(), strings.bytes.size(), stream_));
    const StringsView view{.type = strings.type,
                           .length = strings.length(),
                           .offsets = offsets.read().data,
                           .wide = true,
                           .bytes = bytes.read().data,
                           .validity = nullptr};
    std::vector<double> seconds;
    for (int run = 0; run < 8; ++run) {
      BOBBIN_TRY(stream_.synchronize());
      const auto start = std::chrono::steady_clock::now();
      BOBBIN_ASSIGN(const Array encoded, Plans::encode(view, nullptr, stream_));
      BOBBIN_TRY(stream_.synchronize());
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (run == 0) {
        BOBBIN_ASSIGN(const Array back, array::to_host(encoded, stream_));
        BOBBIN_RETURN_IF(!std::ranges::equal(back.buffers[1].bytes, expected.buffers[1].bytes),
                         StatusCode::device, text_ + ": the GPU and the CPU encode to different codes");
      } else {
        seconds.push_back(took.count());
      }
    }
    add("encode, end to end", summarize(std::move(seconds)), 100);
    return {};
  }

  // GB of decoded bytes per second.
  void add(const std::string& what, const Sample& sample, double bar) {
    rates_.add({.subject = text_,
                .what = what,
                .bytes = bytes_,
                .ratio = factor_,
                .sample = sample,
                .memcpy_rate = memcpy_,
                .bar = bar});
  }

  StreamView stream_;
  GpuTimer timer_;
  std::string text_;
  uint64_t bytes_ = 0;
  double factor_ = 0;
  double memcpy_ = 0;
  Rates rates_{Rates::Form{
      .subject = "text", .ratio = "factor", .rate = "GB/s decoded", .ratio_digits = 2, .rate_digits = 0}};
};

Status run(const Arguments& arguments) {
  const Args args(arguments);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  StringsBench bench(stream.view(), std::move(timer));
  for (const Text& text : all_texts(args.data)) {
    if (args.only.empty() || args.only == text.name) {
      BOBBIN_TRY(bench.measure(text, args));
    }
  }
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
