// SPDX-License-Identifier: Apache-2.0
// Runs an application on raw values, on memory that the GPU compresses, and on compressed lines, each in
// every way it has, and compares all results with those on raw values.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "assist/apps/data.hpp"
#include "assist/kernels.hpp"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/hardware_memory.cuh"
#include "codecs/line/kernels.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {

using assist::RawView;
using assist::SlotView;
using assist::TileView;

template <class Data>
struct FillData {
  using T = typename Data::Value;
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;
  Global<T> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < out.size) {
      cta.store(out, i, Data::value(i));
    }
  }
};

// A sum over words and their places: results that differ have another one, in all likelihood.
struct Checksum {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;
  Global<const uint32_t> words;
  Global<unsigned long long> result;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    unsigned long long sum = 0;
    const uint64_t step = uint64_t{cta.num_blocks()} * kThreads;
    for (uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread(); i < words.size; i += step) {
      sum += FillRandom::mix(cta.load(words, i) + i * 0x1'0000'0001);
    }
    cta.template atomic_add<simt::Order::relaxed>(result, 0, sum);
  }
};

// On the GPU; compiled once for all applications.
Result<Array> encode_lines(DType type, const void* values, uint64_t length, StreamView stream);

// The first values of a kind of data, in all layouts.
template <class Data>
class DeviceData {
 public:
  using T = typename Data::Value;

  static Result<DeviceData> create(uint64_t length, StreamView stream, MemoryResource& hardware) {
    const simt::CudaExecutor executor(stream);
    const uint64_t lines = ceil_div<uint64_t>(length * sizeof(T), assist::kLineBytes);
    BOBBIN_ASSIGN(DeviceBuffer raw, DeviceBuffer::create(length * sizeof(T), stream));
    BOBBIN_ASSIGN(DeviceBuffer plain, DeviceBuffer::create(length * sizeof(T), stream, hardware));
    BOBBIN_ASSIGN(DeviceBuffer codes, DeviceBuffer::create(lines, stream));
    BOBBIN_ASSIGN(DeviceBuffer slots, DeviceBuffer::create(lines * assist::kLineBytes, stream));
    const uint64_t blocks = ceil_div<uint64_t>(length, FillData<Data>::kThreads);
    BOBBIN_TRY(executor.run(FillData<Data>{{raw.as<T>(), length}}, blocks));
    BOBBIN_TRY(executor.run(FillData<Data>{{plain.as<T>(), length}}, blocks));
    BOBBIN_ASSIGN(Array array, encode_lines(kDTypeOf<T>, raw.data(), length, stream));
    DeviceData data{length,           std::move(raw),   std::move(plain),
                    std::move(array), std::move(codes), std::move(slots)};
    BOBBIN_TRY(data.fill_slots(executor));
    return Result<DeviceData>(std::move(data));
  }

  [[nodiscard]] RawView<T> raw() const { return {{raw_.as<T>(), length_}}; }
  [[nodiscard]] RawView<T> hardware() const { return {{hardware_.as<T>(), length_}}; }
  [[nodiscard]] TileView<T> tiles() const {
    return {codec::line::reader<assist::kLineBytes>(array_), length_};
  }
  [[nodiscard]] SlotView<T> slots() const {
    const uint64_t words = slots_.size() / sizeof(uint32_t);
    return {{{slots_.as<uint32_t>(), words}}, {codes_.as<uint8_t>(), codes_.size()}, length_};
  }
  [[nodiscard]] uint64_t raw_bytes() const { return length_ * sizeof(T); }
  [[nodiscard]] uint64_t stored_bytes() const {
    uint64_t bytes = 0;
    for (const Buffer& buffer : array_.buffers) {
      bytes += buffer.bytes.size();
    }
    return bytes;
  }

 private:
  DeviceData(uint64_t length, DeviceBuffer raw, DeviceBuffer hardware, Array array, DeviceBuffer codes,
             DeviceBuffer slots)
      : length_(length),
        raw_(std::move(raw)),
        hardware_(std::move(hardware)),
        array_(std::move(array)),
        codes_(std::move(codes)),
        slots_(std::move(slots)) {}

  Status fill_slots(const simt::CudaExecutor& executor) const {
    const assist::SlotWriter<T> writer{{slots_.template as<uint32_t>(), slots_.size() / sizeof(uint32_t)},
                                       {codes_.template as<uint8_t>(), codes_.size()},
                                       length_,
                                       {}};
    const assist::WriteKernel<assist::SlotWriter<T>> fill{raw(), writer};
    return executor.run(fill, fill.blocks());
  }

  uint64_t length_;
  DeviceBuffer raw_;
  DeviceBuffer hardware_;
  Array array_;
  DeviceBuffer codes_;
  DeviceBuffer slots_;
};

// What limits an application on raw values.
enum class Limit : uint8_t { memory, incompressible, compute };

struct AppName {
  std::string name;
  Limit limit;
};

class AppsBench {
 public:
  AppsBench(StreamView stream, GpuTimer& timer, uint64_t bytes, TextTable& table, Json& rows)
      : stream_(stream), executor_(stream), timer_(timer), bytes_(bytes), table_(table), rows_(rows) {}

  [[nodiscard]] StreamView stream() const { return stream_; }
  [[nodiscard]] const simt::CudaExecutor& executor() const { return executor_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

  template <class Data>
  [[nodiscard]] Result<DeviceData<Data>> data(uint64_t length) {
    return DeviceData<Data>::create(length, stream_, hardware_);
  }

  // Begins an application; its result begins as zeros.
  template <class... D>
  Status open(AppName app, size_t result_bytes, const D&... data) {
    app_ = std::move(app);
    ratio_ = static_cast<double>((data.raw_bytes() + ...)) / static_cast<double>((data.stored_bytes() + ...));
    BOBBIN_ASSIGN(DeviceBuffer result,
                  DeviceBuffer::create(round_up<size_t>(result_bytes, sizeof(Quad)), stream_));
    result_ = std::make_unique<DeviceBuffer>(std::move(result));
    initial_ = nullptr;
    return {};
  }
  [[nodiscard]] DeviceBuffer& result() { return *result_; }
  // The result begins as a copy of this, not as zeros.
  void begin_with(const DeviceBuffer& initial) { initial_ = &initial; }

  // Checks a kernel's result, and times it. That on raw values comes first.
  template <class K>
  Status measure(const std::string& way, const K& kernel) {
    BOBBIN_TRY(check(way, kernel));
    BOBBIN_ASSIGN(const Sample sample,
                  timer_.measure([&] { return executor_.run(kernel, kernel.blocks()); }));
    if (way == "raw") {
      raw_seconds_ = sample.median_s;
    }
    const double relative = raw_seconds_ / sample.median_s;
    const char* const limit = app_.limit == Limit::memory           ? "memory"
                              : app_.limit == Limit::incompressible ? "incompressible"
                                                                    : "compute";
    table_.add({app_.name, limit, number(ratio_, 2), way, number(sample.median_s * 1e3, 3),
                number(relative, 2), number(100 * sample.spread, 1)});
    rows_.push_back({{"app", app_.name},
                     {"limit", limit},
                     {"ratio", ratio_},
                     {"way", way},
                     {"seconds", to_json(sample)},
                     {"speed", relative}});
    return {};
  }

 private:
  template <class K>
  Status check(const std::string& way, const K& kernel) {
    if (initial_ == nullptr) {
      BOBBIN_TRY(fill_async(result_->data(), 0, result_->size(), stream_));
    } else {
      BOBBIN_TRY(copy_async(result_->data(), initial_->data(), initial_->size(), stream_));
    }
    BOBBIN_TRY(executor_.run(kernel, kernel.blocks()));
    BOBBIN_ASSIGN(const DeviceBuffer sum, DeviceBuffer::create(sizeof(uint64_t), stream_));
    BOBBIN_TRY(fill_async(sum.data(), 0, sum.size(), stream_));
    BOBBIN_TRY(executor_.run(Checksum{{result_->as<uint32_t>(), result_->size() / sizeof(uint32_t)},
                                      {sum.as<unsigned long long>(), 1}},
                             1024));
    uint64_t found = 0;
    BOBBIN_TRY(copy_async(&found, sum.data(), sizeof found, stream_));
    BOBBIN_TRY(stream_.synchronize());
    if (way == "raw") {
      expected_ = found;
    }
    BOBBIN_RETURN_IF(found != expected_, StatusCode::device,
                     app_.name + ", " + way + ": another result than on raw values");
    return {};
  }

  StreamView stream_;
  simt::CudaExecutor executor_;
  GpuTimer& timer_;
  uint64_t bytes_;
  TextTable& table_;
  Json& rows_;
  HardwareMemory hardware_;
  AppName app_;
  double ratio_ = 0;
  double raw_seconds_ = 0;
  uint64_t expected_ = 0;
  std::unique_ptr<DeviceBuffer> result_;
  const DeviceBuffer* initial_ = nullptr;
};

// Calls make(view ...) for the arrays of each layout and measures the kernels that it returns.
template <class Make, class... D>
Status measure_views(AppsBench& bench, Make&& make, const D&... data) {
  BOBBIN_TRY(bench.measure("raw", make(data.raw()...)));
  BOBBIN_TRY(bench.measure("hardware", make(data.hardware()...)));
  BOBBIN_TRY(bench.measure("tiles", make(data.tiles()...)));
  return bench.measure("slots", make(data.slots()...));
}

// The same for one array that is read as a stream: make.operator()<policy>(view), also with assist warps.
template <class Make, class D>
Status measure_streams(AppsBench& bench, Make&& make, const D& data) {
  BOBBIN_TRY(measure_views(
      bench, [&](const auto& view) { return make.template operator()<assist::kNoRoles>(view); }, data));
  BOBBIN_TRY(bench.measure("tiles, fetched", make.template operator()<assist::kFetchAhead>(data.tiles())));
  return bench.measure("tiles, expanded", make.template operator()<assist::kExpandAhead>(data.tiles()));
}

Status measure_counting(AppsBench& bench);
Status measure_vectors(AppsBench& bench);
Status measure_grids(AppsBench& bench);

}  // namespace bobbin::bench
