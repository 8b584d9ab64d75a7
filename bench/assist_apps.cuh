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
#include "assist/parts.hpp"
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

inline uint64_t stored_bytes(const Array& array) {
  uint64_t bytes = 0;
  for (const Buffer& buffer : array.buffers) {
    bytes += buffer.bytes.size();
  }
  return bytes;
}

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
  [[nodiscard]] uint64_t stored_bytes() const { return bench::stored_bytes(array_); }

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
    ratio_ = 1;
    if constexpr (sizeof...(data) != 0) {
      ratio_ =
          static_cast<double>((data.raw_bytes() + ...)) / static_cast<double>((data.stored_bytes() + ...));
    }
    BOBBIN_ASSIGN(DeviceBuffer result,
                  DeviceBuffer::create(round_up<size_t>(result_bytes, sizeof(Quad)), stream_));
    result_ = std::make_unique<DeviceBuffer>(std::move(result));
    initial_ = nullptr;
    return {};
  }
  [[nodiscard]] DeviceBuffer& result() { return *result_; }
  // The result begins as a copy of this, not as zeros.
  void begin_with(const DeviceBuffer& initial) { initial_ = &initial; }

  // To be reported with the next measurement.
  void note(std::string text) { note_ = std::move(text); }

  // Checks a kernel's result, and times it. That on raw values, without assistance, comes first; of two that
  // read raw values the faster one is compared with.
  template <class K>
  Status measure(const std::string& way, const K& kernel) {
    BOBBIN_TRY(check(way, kernel));
    BOBBIN_ASSIGN(const Sample sample,
                  timer_.measure([&] { return executor_.run(kernel, kernel.blocks()); }));
    if (way == "raw" || (way == "raw, copied" && sample.median_s < raw_seconds_)) {
      raw_seconds_ = sample.median_s;
    }
    const double relative = raw_seconds_ / sample.median_s;
    const char* const limit = app_.limit == Limit::memory           ? "memory"
                              : app_.limit == Limit::incompressible ? "incompressible"
                                                                    : "compute";
    table_.add({app_.name, limit, number(ratio_, 2), way, number(sample.median_s * 1e3, 3),
                number(relative, 2), number(100 * sample.spread, 1), note_});
    rows_.push_back({{"app", app_.name},
                     {"limit", limit},
                     {"ratio", ratio_},
                     {"way", way},
                     {"seconds", to_json(sample)},
                     {"speed", relative}});
    if (!note_.empty()) {
      rows_.back()["note"] = std::exchange(note_, {});
    }
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
  std::string note_;
  double ratio_ = 0;
  double raw_seconds_ = 0;
  uint64_t expected_ = 0;
  std::unique_ptr<DeviceBuffer> result_;
  const DeviceBuffer* initial_ = nullptr;
};

// Returns f(view) of an array that the profile made or will make.
template <class T, class F>
Status with_raw_or_tiles(const LineParts& parts, F&& f) {
  return parts.layout == LineLayout::tiles ? f(assist::tile_view<T>(parts)) : f(assist::raw_view<T>(parts));
}

// The array as the profile makes it: run(parts) is the sample of the kernel.
template <class D, class Run>
Result<CompressedMemory> make_profiled(AppsBench& bench, const D& data, Run&& run) {
  using T = typename D::T;
  const RawView<T> raw = data.raw();
  return CompressedMemory::from_device(kDTypeOf<T>, raw.values.data, raw.length(), {.kernel = run},
                                       bench.stream());
}

// Raw values of the same sample of another array.
template <class T>
RawView<T> first_values(const RawView<T>& view, uint64_t length) {
  return {{view.values.data, length < view.length() ? length : view.length()}};
}

// The kernel on what the profile makes of its arrays: one after the other, those that come later are raw.
template <class Make, class X>
Status measure_profile(AppsBench& bench, Make&& make, const X& x) {
  const auto run = [&](const auto& kernel) { return bench.executor().run(kernel, kernel.blocks()); };
  BOBBIN_ASSIGN(const CompressedMemory made, make_profiled(bench, x, [&](const LineParts& parts) {
                  return with_raw_or_tiles<typename X::T>(parts,
                                                          [&](const auto& view) { return run(make(view)); });
                }));
  bench.note(made.reason());
  return with_raw_or_tiles<typename X::T>(
      made.parts(), [&](const auto& view) { return bench.measure("profile", make(view)); });
}
template <class Make, class X, class Y>
Status measure_profile(AppsBench& bench, Make&& make, const X& x, const Y& y) {
  const auto run = [&](const auto& kernel) { return bench.executor().run(kernel, kernel.blocks()); };
  BOBBIN_ASSIGN(const CompressedMemory made_x, make_profiled(bench, x, [&](const LineParts& parts) {
                  return with_raw_or_tiles<typename X::T>(parts, [&](const auto& view) {
                    return run(make(view, first_values(y.raw(), parts.length)));
                  });
                }));
  BOBBIN_ASSIGN(const CompressedMemory made_y, make_profiled(bench, y, [&](const LineParts& parts) {
                  LineParts other = made_x.parts();
                  other.length = parts.length;
                  return with_raw_or_tiles<typename X::T>(other, [&](const auto& its_x) {
                    return with_raw_or_tiles<typename Y::T>(
                        parts, [&](const auto& its_y) { return run(make(its_x, its_y)); });
                  });
                }));
  bench.note(made_x.reason() + " / " + made_y.reason());
  return with_raw_or_tiles<typename X::T>(made_x.parts(), [&](const auto& its_x) {
    return with_raw_or_tiles<typename Y::T>(
        made_y.parts(), [&](const auto& its_y) { return bench.measure("profile", make(its_x, its_y)); });
  });
}

// Calls make(view ...) for the arrays of each layout and measures the kernels that it returns.
template <class Make, class... D>
Status measure_views(AppsBench& bench, Make&& make, const D&... data) {
  BOBBIN_TRY(bench.measure("raw", make(data.raw()...)));
  BOBBIN_TRY(bench.measure("hardware", make(data.hardware()...)));
  BOBBIN_TRY(bench.measure("tiles", make(data.tiles()...)));
  BOBBIN_TRY(bench.measure("slots", make(data.slots()...)));
  return measure_profile(bench, make, data...);
}

// The same for one array that is read as a stream: make.operator()<policy>(view), also with assist warps.
template <class Make, class D>
Status measure_streams(AppsBench& bench, Make&& make, const D& data) {
  constexpr assist::Policy kCopied{
      .roles = assist::Roles::fetch, .workers = 8, .assists = 1, .slots = 8, .raw_too = true};
  BOBBIN_TRY(measure_views(
      bench, [&](const auto& view) { return make.template operator()<assist::kNoRoles>(view); }, data));
  BOBBIN_TRY(bench.measure("raw, copied", make.template operator()<kCopied>(data.raw())));
  BOBBIN_TRY(bench.measure("tiles, fetched", make.template operator()<assist::kFetchAhead>(data.tiles())));
  return bench.measure("tiles, expanded", make.template operator()<assist::kExpandAhead>(data.tiles()));
}

Status measure_counting(AppsBench& bench);
Status measure_vectors(AppsBench& bench);
Status measure_grids(AppsBench& bench);
Status measure_uses(AppsBench& bench);

}  // namespace bobbin::bench
