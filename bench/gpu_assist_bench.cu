// SPDX-License-Identifier: Apache-2.0
// Compressed lines: making and decoding them next to memcpy, and kernels that read raw, tiled and slotted
// arrays, on data of every class; then the applications (assist_apps.cuh). Results of all views are compared.
#include <algorithm>
#include <string>

#include "assist/kernels.hpp"
#include "bench/assist_apps.cuh"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "codecs/line/kernels.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {

using Lines = codec::line::Plans<simt::CudaExecutor>;

// For reading, not for size.
Result<Array> encode_lines(DType type, const void* values, uint64_t length, StreamView stream) {
  return Lines::encode<codec::line::kForReading>(type, values, length, stream);
}

namespace {

using assist::GatherKernel;
using assist::SumKernel;

enum class Data : uint8_t { zeros, repeated, near, sparse, wide, mixed, random };

// Values whose lines all have one class, or several.
template <class T>
struct FillLines {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;
  Global<T> out;
  Data data;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= out.size) {
      return;
    }
    const uint64_t line = i * sizeof(T) / 128;
    cta.store(out, i, static_cast<T>(value(data == Data::mixed ? kind_of(line) : data, line, i)));
  }

 private:
  BOBBIN_HD static Data kind_of(uint64_t line) {
    constexpr Data kKinds[] = {Data::zeros, Data::near, Data::near, Data::wide, Data::sparse, Data::random};
    return kKinds[FillRandom::mix(line) % 6];
  }
  BOBBIN_HD static uint64_t value(Data kind, uint64_t line, uint64_t i) {
    const uint64_t x = FillRandom::mix(i + 1);
    const uint64_t base = FillRandom::mix(line / 64 + 7) | uint64_t{1} << 40;
    switch (kind) {
      case Data::zeros:
        return 0;
      case Data::repeated:
        return line;
      case Data::near:  // (4,1), (8,1)
        return base + x % 250;
      case Data::sparse:
        return x % 4 == 0 ? base + (x >> 8) % 250 : (x >> 8) % 100;
      case Data::wide:  // (4,2), (8,2)
        return base + x % 60000;
      default:
        return x;
    }
  }
};

const char* name_of(Data data) {
  constexpr const char* kNames[] = {"zeros", "repeated", "near", "sparse", "wide", "mixed", "random"};
  return kNames[static_cast<int>(data)];
}

// Random places.
struct FillIndices {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;
  Global<uint32_t> out;
  uint64_t length;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    cta.store(out, i, static_cast<uint32_t>(FillRandom::mix(i) % length));
  }
};

template <class T>
class AssistBench {
 public:
  AssistBench(StreamView stream, GpuTimer& timer, uint64_t bytes, TextTable& table, Json& rows)
      : stream_(stream), timer_(timer), length_(bytes / sizeof(T)), table_(table), rows_(rows) {}

  Status measure(Data data) {
    data_ = data;
    const simt::CudaExecutor executor(stream_);
    BOBBIN_ASSIGN(const DeviceBuffer raw, DeviceBuffer::create(length_ * sizeof(T), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer copy, DeviceBuffer::create(length_ * sizeof(T), stream_));
    BOBBIN_TRY(executor.run(FillLines<T>{{raw.as<T>(), length_}, data}, ceil_div<uint64_t>(length_, 256)));
    BOBBIN_ASSIGN(const Array array, encode_lines(kDTypeOf<T>, raw.data(), length_, stream_));
    const uint64_t stored = stored_bytes(array);
    const uint64_t bytes = length_ * sizeof(T);
    ratio_ = static_cast<double>(bytes) / static_cast<double>(stored);
    BOBBIN_ASSIGN(const Sample memcpy_time,
                  timer_.measure([&] { return copy_async(copy.data(), raw.data(), bytes, stream_); }));
    const double copy_rate = memcpy_time.bytes_per_second(2 * bytes) / 1e9;
    add("memcpy", memcpy_time, 2 * bytes, copy_rate);
    BOBBIN_ASSIGN(const Sample encode_time, timer_.measure([&] {
      return status_of(encode_lines(kDTypeOf<T>, raw.data(), length_, stream_));
    }));
    add("compress", encode_time, bytes + stored, copy_rate);
    BOBBIN_ASSIGN(const Array smallest, Lines::encode(kDTypeOf<T>, raw.data(), length_, stream_));
    BOBBIN_ASSIGN(const Sample smallest_time, timer_.measure([&] {
      return status_of(Lines::encode(kDTypeOf<T>, raw.data(), length_, stream_));
    }));
    add("compress, smallest", smallest_time, bytes + stored_bytes(smallest), copy_rate);
    BOBBIN_ASSIGN(const Sample decode_time,
                  timer_.measure([&] { return Lines::decode(array, copy.data(), stream_); }));
    add("decompress", decode_time, bytes + stored, copy_rate);
    return measure_views(executor, raw, copy, array);
  }

 private:
  template <class R>
  static Status status_of(const R& result) {
    return result.has_value() ? Status{} : result.error();
  }

  Status measure_views(const simt::CudaExecutor& executor, const DeviceBuffer& raw, const DeviceBuffer& copy,
                       const Array& array) {
    const RawView<T> raw_view{{raw.as<T>(), length_}};
    const TileView<T> tile_view{codec::line::reader<128>(array), length_};
    const uint64_t lines = ceil_div<uint64_t>(length_ * sizeof(T), 128);
    BOBBIN_ASSIGN(const DeviceBuffer codes, DeviceBuffer::create(lines, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer slots, DeviceBuffer::create(lines * 128, stream_));
    const assist::WriteKernel<assist::SlotWriter<T>> fill{
        raw_view, {{slots.as<uint32_t>(), lines * 32}, {codes.as<uint8_t>(), lines}, length_, {}}};
    BOBBIN_TRY(executor.run(fill, fill.blocks()));
    const SlotView<T> slot_view{{{slots.as<uint32_t>(), lines * 32}}, {codes.as<uint8_t>(), lines}, length_};
    // The copy was decoded from the tiles: its sum must be the raw values'.
    const RawView<T> decoded{{copy.as<T>(), length_}};
    BOBBIN_TRY(measure_view<true>(executor, "raw", raw_view));
    BOBBIN_TRY(measure_view<false>(executor, "decoded", decoded));
    BOBBIN_TRY(measure_view<true>(executor, "tiles", tile_view));
    BOBBIN_TRY(measure_view<true>(executor, "slots", slot_view));
    BOBBIN_TRY((measure_sums<true, assist::kFetchAhead>(executor, "tiles, fetched", tile_view)));
    BOBBIN_TRY((measure_sums<true, assist::kExpandAhead>(executor, "tiles, expanded", tile_view)));
    BOBBIN_TRY((measure_sums<true, assist::kFetchAhead>(executor, "slots, fetched", slot_view)));
    return measure_sums<true, assist::kExpandAhead>(executor, "slots, expanded", slot_view);
  }

  template <bool kShown, class View>
  Status measure_view(const simt::CudaExecutor& executor, const std::string& name, const View& view) {
    BOBBIN_TRY((measure_sums<kShown, assist::kNoRoles>(executor, name, view)));
    return kShown ? measure_gather(executor, name, view) : Status{};
  }

  template <bool kShown, assist::Policy kPolicy, class View>
  Status measure_sums(const simt::CudaExecutor& executor, const std::string& name, const View& view) {
    BOBBIN_ASSIGN(const DeviceBuffer result, DeviceBuffer::create(4 * sizeof(uint64_t), stream_));
    BOBBIN_TRY(fill_async(result.data(), 0, result.size(), stream_));
    auto* const sums = result.as<unsigned long long>();
    const SumKernel<View, false, kPolicy> sum{view, T{0}, T{0}, {sums, 2}};
    const SumKernel<View, true, kPolicy> filter{
        view, T{1000}, static_cast<T>(T{1} << (8 * sizeof(T) - 1)), {sums + 2, 2}};
    BOBBIN_TRY(executor.run(sum, sum.blocks()));
    BOBBIN_TRY(executor.run(filter, filter.blocks()));
    uint64_t found[4];
    BOBBIN_TRY(copy_async(found, result.data(), sizeof found, stream_));
    BOBBIN_TRY(stream_.synchronize());
    if (name == "raw") {
      std::copy_n(found, 4, expected_);
    }
    BOBBIN_RETURN_IF(!std::equal(found, found + 4, expected_), StatusCode::device,
                     name + ", " + name_of(data_) + ": another sum than the raw values'");
    if constexpr (kShown) {
      BOBBIN_ASSIGN(const Sample sum_time, timer_.measure([&] { return executor.run(sum, sum.blocks()); }));
      compare("sum, " + name, sum_time);
      BOBBIN_ASSIGN(const Sample filter_time,
                    timer_.measure([&] { return executor.run(filter, filter.blocks()); }));
      compare("filter, " + name, filter_time);
    }
    return {};
  }

  template <class View>
  Status measure_gather(const simt::CudaExecutor& executor, const std::string& name, const View& view) {
    constexpr uint64_t kCount = uint64_t{1} << 26;
    BOBBIN_ASSIGN(const DeviceBuffer indices, DeviceBuffer::create(kCount * sizeof(uint32_t), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(kCount * sizeof(T), stream_));
    BOBBIN_TRY(executor.run(FillIndices{{indices.as<uint32_t>(), kCount}, length_}, kCount / 256));
    const GatherKernel<View> gather{view, {indices.as<uint32_t>(), kCount}, {out.as<T>(), kCount}};
    BOBBIN_ASSIGN(const Sample time, timer_.measure([&] { return executor.run(gather, gather.blocks()); }));
    compare("get, " + name, time);
    return {};
  }

  void add(const std::string& what, const Sample& sample, uint64_t moved, double copy_rate) {
    const double rate = sample.bytes_per_second(moved) / 1e9;
    row(what, sample, rate, number(100 * rate / copy_rate, 1) + " % of memcpy");
  }
  // Next to the same on raw values, which come first.
  void compare(const std::string& what, const Sample& sample) {
    const std::string kind = what.substr(0, what.find(','));
    if (what.ends_with("raw")) {
      raw_[kind == "sum" ? 0 : kind == "filter" ? 1 : 2] = sample.median_s;
    }
    const double raw = raw_[kind == "sum" ? 0 : kind == "filter" ? 1 : 2];
    row(what, sample, sample.bytes_per_second(length_ * sizeof(T)) / 1e9,
        number(raw / sample.median_s, 2) + " of raw");
  }
  void row(const std::string& what, const Sample& sample, double rate, const std::string& relative) {
    const std::string type(to_string(kDTypeOf<T>));
    table_.add({type, name_of(data_), number(ratio_, 2), what, number(sample.median_s * 1e3, 3),
                number(rate, 0), relative, number(100 * sample.spread, 1)});
    rows_.push_back({{"type", type},
                     {"data", name_of(data_)},
                     {"ratio", ratio_},
                     {"what", what},
                     {"seconds", to_json(sample)},
                     {"gb_per_s", rate},
                     {"relative", relative}});
  }

  StreamView stream_;
  GpuTimer& timer_;
  uint64_t length_;
  TextTable& table_;
  Json& rows_;
  Data data_{};
  double ratio_ = 0;
  double raw_[3] = {};
  uint64_t expected_[4] = {};
};

Status measure_classes(StreamView stream, GpuTimer& timer, uint64_t bytes, TextTable& table, Json& rows) {
  AssistBench<uint32_t> narrow(stream, timer, bytes, table, rows);
  AssistBench<uint64_t> wide(stream, timer, bytes, table, rows);
  for (const Data data :
       {Data::zeros, Data::repeated, Data::near, Data::sparse, Data::wide, Data::mixed, Data::random}) {
    BOBBIN_TRY(narrow.measure(data));
    BOBBIN_TRY(wide.measure(data));
  }
  return {};
}

// --apps: only applications; --classes: only classes of data.
Status run(const Arguments& arguments) {
  const uint64_t bytes = arguments.number("--bytes", uint64_t{1} << 30);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  TextTable classes{{"type", "data", "ratio", "what", "ms", "GB/s", "relative", "spread %"}, 4};
  TextTable apps{{"application", "limit", "ratio", "way", "ms", "times raw", "spread %", "note"}, 4};
  Json rows = Json::array();
  if (!arguments.has("--apps")) {
    BOBBIN_TRY(measure_classes(stream.view(), timer, bytes, classes, rows));
  }
  if (!arguments.has("--classes")) {
    AppsBench bench(stream.view(), timer, bytes, apps, rows);
    BOBBIN_TRY(measure_counting(bench));
    BOBBIN_TRY(measure_vectors(bench));
    BOBBIN_TRY(measure_grids(bench));
    BOBBIN_TRY(measure_uses(bench));
  }
  return publish(classes.markdown() + "\n" + apps.markdown(), rows, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
