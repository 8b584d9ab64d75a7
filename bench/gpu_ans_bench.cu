// SPDX-License-Identifier: Apache-2.0
// The codec `ans` on the GPU, compared with cudaMemcpy and, if available, nvCOMP's ANS in chunks of 64 KiB:
// the bytes of files given on the command line, repeated to fill a size. Everything is checked in the same
// run. With --layouts 1, other layouts than the encoder's too, which takes minutes.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/nvcomp.cuh"
#include "bench/program.hpp"
#include "bench/rates.hpp"
#include "codecs/ans/ans.hpp"
#include "codecs/registry.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

constexpr uint64_t kChunk = uint64_t{64} << 10;  // nvCOMP's

class AnsBench {
 public:
  AnsBench(StreamView stream, GpuTimer timer, std::optional<Nvcomp> nvcomp, const Arguments& arguments)
      : stream_(stream),
        timer_(std::move(timer)),
        nvcomp_(nvcomp),
        bytes_(arguments.number("--bytes", uint64_t{1} << 30)),
        layouts_(arguments.has("--layouts")) {}

  Status measure(const std::string& path) {
    file_ = std::filesystem::path(path).filename().string();
    BOBBIN_TRY(read(path));
    BOBBIN_ASSIGN(const DeviceBuffer values, DeviceBuffer::create(values_.size(), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(values_.size(), stream_));
    BOBBIN_TRY(copy_async(values.data(), values_.data(), values_.size(), stream_));
    BOBBIN_ASSIGN(const Sample copy, timer_.measure([&] {
      return copy_async(out.data(), values.data(), values_.size(), stream_);
    }));
    memcpy_ = copy.bytes_per_second(2 * values_.size());
    add("memcpy", copy, 1, 0);
    BOBBIN_TRY(measure_ours(values, out));
    if (layouts_) {
      BOBBIN_TRY(measure_layouts(out));
    }
    return nvcomp_.has_value() && nvcomp_->has_ans() ? measure_nvcomp(values, out) : Status();
  }

  [[nodiscard]] std::string markdown() const { return rates_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rates_.rows(); }

 private:
  Status read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    BOBBIN_RETURN_IF(text.empty(), StatusCode::io, path + ": empty or not there");
    values_.resize(bytes_ / kChunk * kChunk);
    for (size_t at = 0; at < values_.size(); at += text.size()) {
      std::memcpy(values_.data() + at, text.data(), std::min(text.size(), values_.size() - at));
    }
    return {};
  }

  Status measure_ours(const DeviceBuffer& values, const DeviceBuffer& out) {
    const DeviceOps& ops = *device_ops(Backend::cuda, CodecId::ans);
    BOBBIN_ASSIGN(const Array array, ops.encode(DType::u8, values.data(), values_.size(), stream_));
    const double ratio = ratio_of(array);
    BOBBIN_ASSIGN(const Sample encode, timer_.measure([&]() -> Status {
      return status_of(ops.encode(DType::u8, values.data(), values_.size(), stream_));
    }));
    add("encode", encode, ratio, 700);
    BOBBIN_TRY(fill_async(out.data(), 0, out.size(), stream_));
    BOBBIN_ASSIGN(const Sample decode,
                  timer_.measure([&] { return ops.decode(array, out.data(), stream_); }));
    BOBBIN_TRY(check(out));
    add("decode", decode, ratio, 1250);
    return {};
  }

  static Status status_of(const Result<Array>& array) { return array.has_value() ? Status() : array.error(); }

  Status measure_layouts(const DeviceBuffer& out) {
    for (const uint32_t bits : {9U, 10U, 11U}) {
      for (const uint32_t log : {13U, 14U, 15U}) {
        BOBBIN_TRY(measure_layout({bits, log}, out));
      }
    }
    return {};
  }
  // Other layouts than the encoder's are made on the CPU, of a part of the values.
  Status measure_layout(const codec::ans::Layout& layout, const DeviceBuffer& out) {
    const uint64_t length = std::min<uint64_t>(values_.size(), uint64_t{256} << 20);
    BOBBIN_ASSIGN(const Array array, codec::ans::encode_with(layout, {DType::u8, values_.data(), length}));
    BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(array, stream_));
    const DeviceOps& ops = *device_ops(Backend::cuda, CodecId::ans);
    BOBBIN_TRY(fill_async(out.data(), 0, length, stream_));
    BOBBIN_ASSIGN(const Sample decode,
                  timer_.measure([&] { return ops.decode(there.array, out.data(), stream_); }));
    const uint64_t all = bytes_measured_;
    bytes_measured_ = length;
    BOBBIN_TRY(check(out));
    add("decode, " + std::to_string(layout.bits) + " bits, segments of 2^" +
            std::to_string(layout.segment_log) + ", 256 MiB",
        decode, static_cast<double>(length) / static_cast<double>(array::encoded_bytes(array)), 0);
    bytes_measured_ = all;
    return {};
  }

  Status measure_nvcomp(const DeviceBuffer& values, const DeviceBuffer& out) {
    const size_t count = values_.size() / kChunk;
    BOBBIN_ASSIGN(const Nvcomp::AnsSizes sizes, nvcomp_->ans_sizes(count, kChunk));
    const size_t stride = round_up<size_t>(sizes.chunk, 16);
    BOBBIN_ASSIGN(const DeviceBuffer temp, DeviceBuffer::create(sizes.temp, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer packed, DeviceBuffer::create(count * stride, stream_));
    std::vector<uint64_t> words;  // plain chunks, their sizes, compressed chunks, decoded chunks
    for (size_t i = 0; i < count; ++i) {
      words.push_back(reinterpret_cast<uint64_t>(values.as<std::byte>() + i * kChunk));
    }
    words.resize(2 * count, kChunk);
    for (size_t i = 0; i < count; ++i) {
      words.push_back(reinterpret_cast<uint64_t>(packed.as<std::byte>() + i * stride));
    }
    for (size_t i = 0; i < count; ++i) {
      words.push_back(reinterpret_cast<uint64_t>(out.as<std::byte>() + i * kChunk));
    }
    BOBBIN_ASSIGN(const DeviceBuffer arrays, DeviceBuffer::create(7 * count * sizeof(uint64_t), stream_));
    BOBBIN_TRY(copy_async(arrays.data(), words.data(), words.size() * sizeof(uint64_t), stream_));
    auto* const first = arrays.as<uint64_t>();
    const auto pointers = [&](size_t which) { return reinterpret_cast<void* const*>(first + which * count); };
    const auto numbers = [&](size_t which) { return reinterpret_cast<size_t*>(first + which * count); };
    const Nvcomp::Batch compress{.in = pointers(0),
                                 .in_bytes = numbers(1),
                                 .out_bytes = nullptr,
                                 .decoded_bytes = numbers(4),
                                 .out = pointers(2),
                                 .statuses = reinterpret_cast<int*>(numbers(6)),
                                 .count = count,
                                 .temp = temp.data(),
                                 .temp_bytes = sizes.temp};
    const auto handle = static_cast<cudaStream_t>(stream_.handle());
    BOBBIN_ASSIGN(const Sample encode,
                  timer_.measure([&] { return nvcomp_->ans_compress(compress, kChunk, handle); }));
    std::vector<uint64_t> stored(count);
    BOBBIN_TRY(copy_async(stored.data(), numbers(4), count * sizeof(uint64_t), stream_));
    BOBBIN_TRY(stream_.synchronize());
    uint64_t total = 0;
    for (const uint64_t bytes : stored) {
      total += bytes;
    }
    const double ratio = static_cast<double>(values_.size()) / static_cast<double>(total);
    add("nvCOMP encode", encode, ratio, 0);
    Nvcomp::Batch decompress = compress;
    decompress.in = pointers(2);
    decompress.in_bytes = numbers(4);
    decompress.out_bytes = numbers(1);
    decompress.decoded_bytes = numbers(5);
    decompress.out = pointers(3);
    BOBBIN_TRY(fill_async(out.data(), 0, out.size(), stream_));
    BOBBIN_ASSIGN(const Sample decode,
                  timer_.measure([&] { return nvcomp_->ans_decompress(decompress, handle); }));
    BOBBIN_TRY(check(out));
    add("nvCOMP decode", decode, ratio, 0);
    return {};
  }

  Status check(const DeviceBuffer& out) const {
    std::vector<uint8_t> decoded(bytes_measured_ == 0 ? values_.size() : bytes_measured_);
    BOBBIN_TRY(copy_async(decoded.data(), out.data(), decoded.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    BOBBIN_RETURN_IF(std::memcmp(decoded.data(), values_.data(), decoded.size()) != 0, StatusCode::device,
                     file_ + ": decoded incorrectly");
    return {};
  }

  [[nodiscard]] double ratio_of(const Array& array) const {
    return static_cast<double>(values_.size()) / static_cast<double>(array::encoded_bytes(array));
  }

  // GB of values per second.
  void add(const std::string& what, const Sample& sample, double ratio, double bar) {
    rates_.add({.subject = file_,
                .what = what,
                .bytes = bytes_measured_ == 0 ? values_.size() : bytes_measured_,
                .ratio = ratio,
                .sample = sample,
                .memcpy_rate = memcpy_,
                .bar = bar});
  }

  StreamView stream_;
  GpuTimer timer_;
  std::optional<Nvcomp> nvcomp_;
  uint64_t bytes_;
  bool layouts_;
  std::string file_;
  std::vector<uint8_t> values_;
  uint64_t bytes_measured_ = 0;  // 0: all values
  double memcpy_ = 0;
  Rates rates_{
      Rates::Form{.subject = "file", .ratio = "ratio", .rate = "GB/s", .ratio_digits = 3, .rate_digits = 1}};
};

Status run(const Arguments& arguments) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  BOBBIN_ASSIGN(const std::optional<Nvcomp> nvcomp, Nvcomp::load());
  AnsBench bench(stream.view(), std::move(timer), nvcomp, arguments);
  return measure_files(bench, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
