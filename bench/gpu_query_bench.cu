// SPDX-License-Identifier: Apache-2.0
// The GPU's figures for queries over encoded columns, compared with a tuned kernel on raw values, and with
// cudaMemcpy, in one run. Every result is compared with that of the raw kernel.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/gpu_columns.cuh"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "bench/raw_queries.cuh"
#include "bench/repeat.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "jit/cache.hpp"
#include "measure/report.hpp"
#include "plan/gather.hpp"
#include "plan/plan.hpp"

namespace bobbin::bench {
namespace {

struct Args {
  explicit Args(const Arguments& from)
      : values(from.number("--values", uint64_t{1} << 29)),
        only(from.text("--only", "")),
        compiled(from.has("--compiled")) {}

  uint64_t values;
  std::string only;  // what is measured has this in its name
  bool compiled;     // only kernels that are compiled at run time
};

// Integers of some width.
std::vector<uint32_t> make_integers(uint32_t bits, uint64_t seed) {
  std::vector<uint32_t> values(kBlock);
  for (uint64_t i = 0; i < kBlock; ++i) {
    values[i] = static_cast<uint32_t>(FillRandom::mix(i + seed * kBlock + 1) >> (64 - bits));
  }
  return values;
}

// A few distinct 32-bit integers, in any order.
std::vector<uint32_t> make_few(uint32_t bits) {
  std::vector<uint32_t> values = make_integers(bits, 0);
  for (uint32_t& value : values) {
    value = static_cast<uint32_t>(FillRandom::mix(value + 1) >> 40);
  }
  return values;
}

// Integers that ascend by steps of a few bits.
std::vector<uint32_t> make_ascending(uint32_t bits) {
  std::vector<uint32_t> values = make_integers(bits, 0);
  for (uint64_t i = 1; i < kBlock; ++i) {
    values[i] += values[i - 1];
  }
  return values;
}

// Floats with all their bits, of a few magnitudes.
std::vector<double> make_reals() {
  std::vector<double> values(kBlock);
  for (uint64_t i = 0; i < kBlock; ++i) {
    values[i] = 1 + static_cast<double>(FillRandom::mix(i + 1)) / 18446744073709551616.0;
  }
  return values;
}

// Runs of 8-bit integers, as long as `run` on average: they fill whole vectors.
std::vector<uint32_t> make_runs(uint32_t run) {
  std::vector<uint32_t> values;
  values.reserve(kBlock);
  for (uint64_t pair = 0; values.size() < kBlock; ++pair) {
    const uint64_t random = FillRandom::mix(pair + 1);
    const uint32_t shorter = static_cast<uint32_t>(random % run);
    // Neighbours differ in their lowest bit.
    values.insert(values.end(), run - shorter, static_cast<uint32_t>(random >> 40 & 0xfe));
    values.insert(values.end(), run + shorter, static_cast<uint32_t>(random >> 48 & 0xff) | 1);
  }
  return values;
}

// Zeros, and in one row of 102 another integer of 8 bits.
std::vector<uint32_t> make_sparse() {
  constexpr uint64_t kApart = 102;
  std::vector<uint32_t> values(kBlock);
  for (uint64_t k = 0; k < kBlock / kApart / kVectorLength * kVectorLength; ++k) {
    const uint64_t random = FillRandom::mix(k + 1);
    values[k * kApart + random % kApart] = 1 + static_cast<uint32_t>(random >> 56) % 255;
  }
  return values;
}

// Both children in frames: those of ascending rows can then be repeated.
Result<Array> encode_rows(CodecId codec, const std::vector<uint32_t>& block) {
  BOBBIN_ASSIGN(Split split, find_codec(codec)->split({DType::u32, block.data(), block.size()}));
  for (const OwnedValues& child : split.children) {
    BOBBIN_ASSIGN(Array encoded, array::encode(CodecId::ffor, child.view(), Backend::cpu));
    split.node.children.push_back(std::move(encoded));
  }
  return std::move(split.node);
}

class QueryBench {
 public:
  QueryBench(StreamView stream, GpuTimer timer, const Args& args)
      : stream_(stream), timer_(std::move(timer)), args_(args), values_(args.values) {}

  Status measure_memcpy() {
    const uint64_t bytes = values_ * sizeof(uint32_t);
    BOBBIN_ASSIGN(const DeviceBuffer from, DeviceBuffer::create(bytes, stream_));
    BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(bytes, stream_));
    BOBBIN_ASSIGN(const Sample copy,
                  timer_.measure([&] { return copy_async(to.data(), from.data(), bytes, stream_); }));
    memcpy_ = copy.bytes_per_second(2 * bytes);
    return {};
  }

  // where low <= a < high, sum(a), for a share of the rows.
  template <class T>
  Status measure_one(const std::string& what, CodecId codec, const std::vector<T>& block, T low, T high,
                     double bar) {
    if (!wants(what)) {
      return {};
    }
    BOBBIN_ASSIGN(const Both<T> a, load(codec, block));
    BOBBIN_ASSIGN(const DeviceBuffer result, DeviceBuffer::create(sizeof(RawResult), stream_));
    BOBBIN_ASSIGN(const Sample raw, timer_.measure([&] {
      return run_raw(RawSum<T>{{a.raw.template as<Quad>(), values_ * sizeof(T) / sizeof(Quad)},
                               low,
                               high,
                               result.as<RawResult>()});
    }));
    const ValueRange range = ValueRange::between(kDTypeOf<T>, scalar_of(low), scalar_of(high));
    const plan::Filter filter{{plan::Condition::Kind::test, 0, range}};
    const std::vector<plan::Aggregate> sum{{plan::Fold::sum, 0}};
    return compare(what, {&a.there.array}, filter, sum, result, raw, values_ * sizeof(T), bar);
  }

  // where a < limit and b < limit, sum(c); kEither: where a < limit or not b < limit.
  template <bool kEither>
  Status measure_three(uint32_t bits, double bar, uint32_t run = 1) {
    const std::string what = "u32, " + std::to_string(bits) + " bits, three columns" +
                             (kEither ? ", or, not" : "") +
                             (run == 1 ? "" : ", the first in runs of " + std::to_string(run));
    if (!wants(what)) {
      return {};
    }
    BOBBIN_ASSIGN(const Both<uint32_t> a, run == 1 ? load(CodecId::ffor, make_integers(bits, 1))
                                                   : load(CodecId::rle, make_runs(run)));
    BOBBIN_ASSIGN(const Both<uint32_t> b, load(CodecId::ffor, make_integers(bits, 2)));
    BOBBIN_ASSIGN(const Both<uint32_t> c, load(CodecId::ffor, make_integers(bits, 3)));
    const uint32_t limit = 1U << (bits - 1);
    BOBBIN_ASSIGN(const DeviceBuffer result, DeviceBuffer::create(sizeof(RawResult), stream_));
    const uint64_t quads = values_ / 4;
    BOBBIN_ASSIGN(const Sample raw, timer_.measure([&] {
      return run_raw(RawThree<kEither>{{a.raw.as<Quad>(), quads},
                                       {b.raw.as<Quad>(), quads},
                                       {c.raw.as<Quad>(), quads},
                                       limit,
                                       result.as<RawResult>()});
    }));
    const ValueRange below = ValueRange::of(DType::u32, Compare::lt, {limit});
    const ValueRange from = ValueRange::of(DType::u32, Compare::ge, {limit});
    const plan::Filter filter{{plan::Condition::Kind::test, 0, below},
                              {plan::Condition::Kind::test, 1, kEither ? from : below},
                              {kEither ? plan::Condition::Kind::either : plan::Condition::Kind::both, 0, {}}};
    const std::vector<plan::Aggregate> sum{{plan::Fold::sum, 2}};
    return compare(what, {&a.there.array, &b.there.array, &c.there.array}, filter, sum, result, raw,
                   3 * values_ * sizeof(uint32_t), bar);
  }

  // count(), sum(a), sum(b), by a key of 16 values. The raw key is such a value too, of 32 bits like a and b.
  Status measure_groups(uint32_t bits, double bar) {
    const std::string what = "u32, two sums of " + std::to_string(bits) + " bits by a dictionary of 16";
    if (!wants(what)) {
      return {};
    }
    const std::vector<uint32_t> drawn = make_integers(4, 1);
    BOBBIN_ASSIGN(const Both<uint32_t> wide, load(CodecId::ffor, drawn));
    BOBBIN_ASSIGN(const Both<uint8_t> key,
                  load(CodecId::ffor, std::vector<uint8_t>(drawn.begin(), drawn.end())));
    BOBBIN_ASSIGN(const Both<uint32_t> a, load(CodecId::ffor, make_integers(bits, 2)));
    BOBBIN_ASSIGN(const Both<uint32_t> b, load(CodecId::ffor, make_integers(bits, 3)));
    using Found = std::vector<RawGroups::Result>;
    Found expected(RawGroups::kKeys);
    const size_t bytes = expected.size() * sizeof(RawGroups::Result);
    BOBBIN_ASSIGN(const DeviceBuffer results, DeviceBuffer::create(bytes, stream_));
    const uint64_t quads = values_ / 4;
    const RawGroups raw_kernel{{wide.raw.as<Quad>(), quads},
                               {a.raw.as<Quad>(), quads},
                               {b.raw.as<Quad>(), quads},
                               results.as<RawGroups::Result>()};
    const simt::CudaExecutor executor(stream_);
    BOBBIN_ASSIGN(const uint32_t blocks, executor.most_together<RawGroups>());
    BOBBIN_ASSIGN(const Sample raw, timer_.measure([&]() -> Status {
      BOBBIN_TRY(fill_async(results.data(), 0, bytes, stream_));
      return executor.run(raw_kernel, blocks);
    }));
    BOBBIN_TRY(copy_async(expected.data(), results.data(), bytes, stream_));
    BOBBIN_TRY(stream_.synchronize());
    const std::vector<plan::Source> sources{
        {&key.there.array, nullptr}, {&a.there.array, nullptr}, {&b.there.array, nullptr}};
    const std::vector<plan::Aggregate> aggregates{
        {plan::Fold::count, std::nullopt}, {plan::Fold::sum, 1}, {plan::Fold::sum, 2}};
    const std::vector<plan::KeyColumn> keys{{.column = 0, .low = 0, .values = RawGroups::kKeys}};
    const auto start = std::chrono::steady_clock::now();
    BOBBIN_ASSIGN(const auto query, plan::Prepared::create_groups(sources, {}, aggregates, keys, stream_,
                                                                  plan::QueryPath::compiled));
    BOBBIN_TRY(measure_first_use(query, start));
    BOBBIN_ASSIGN(const Sample ours, timer_.measure([&] { return query.run(stream_); }));
    BOBBIN_ASSIGN(const auto totals, query.totals(stream_));
    for (size_t k = 0; k < expected.size(); ++k) {
      const plan::Total* total = totals.data() + k * aggregates.size();
      BOBBIN_RETURN_IF(total[0].count != expected[k].count || total[1].sum != Int128{expected[k].a} ||
                           total[2].sum != Int128{expected[k].b},
                       StatusCode::device, what + ": the answer differs from the raw kernel's");
    }
    add(what, "compiled",
        array::encoded_bytes(key.there.array) + array::encoded_bytes(a.there.array) +
            array::encoded_bytes(b.there.array),
        ours, raw, 3 * values_ * sizeof(uint32_t), bar);
    return {};
  }

  // 1 % of the rows, anywhere or in runs, compared with decoding everything and filtering the result.
  Status measure_filter(bool clustered, double bar) {
    if (!wants("filter")) {
      return {};
    }
    BOBBIN_ASSIGN(const Both<uint32_t> a, load(CodecId::ffor, make_integers(8, 0)));
    std::vector<uint32_t> words(values_ / 32);
    for (uint64_t i = 0; i < values_; ++i) {
      const uint64_t random = FillRandom::mix(clustered ? i / 65536 + 1 : i + 1);
      words[i / 32] |= static_cast<uint32_t>(random % 100 == 0) << (i % 32);
    }
    BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(words.size() * sizeof(uint32_t), stream_));
    BOBBIN_TRY(copy_async(bitmap.data(), words.data(), bitmap.size(), stream_));
    BOBBIN_ASSIGN(const auto first, plan::Selection::create(bitmap.as<uint32_t>(), 0, values_, stream_));
    BOBBIN_ASSIGN(const uint64_t count, first.count(stream_));
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(count * sizeof(uint32_t), stream_));
    const auto filter_by = [&](plan::QueryPath path) {
      return timer_.measure([&]() -> Status {
        BOBBIN_ASSIGN(const auto rows, plan::Selection::create(bitmap.as<uint32_t>(), 0, values_, stream_));
        return plan::filter_on_device(a.there.array, rows, out.data(), count, stream_, path);
      });
    };
    BOBBIN_ASSIGN(const Sample decoded, filter_by(plan::QueryPath::decoded));
    BOBBIN_ASSIGN(const auto expected, download(out));
    BOBBIN_ASSIGN(const Sample ours, filter_by(plan::QueryPath::automatic));
    BOBBIN_ASSIGN(const auto got, download(out));
    BOBBIN_RETURN_IF(got != expected, StatusCode::device,
                     "filter: the values differ from those of the decoded array");
    const std::string what = clustered ? "filter, 1 % in runs" : "filter, 1 % anywhere";
    add(what, "against decode and filter", array::encoded_bytes(a.there.array), ours, decoded,
        values_ * sizeof(uint32_t), bar);
    return {};
  }

  // A million rows, compared with the same from a raw array. Half as fast is the goal here.
  Status measure_take(double bar) {
    if (!wants("take")) {
      return {};
    }
    BOBBIN_ASSIGN(const Both<uint32_t> a, load(CodecId::ffor, make_integers(8, 0)));
    constexpr uint64_t kRows = uint64_t{1} << 20;
    std::vector<uint64_t> rows(kRows);
    for (uint64_t i = 0; i < kRows; ++i) {
      rows[i] = FillRandom::mix(i + 77) % values_;
    }
    BOBBIN_ASSIGN(const DeviceBuffer indices, DeviceBuffer::create(kRows * sizeof(uint64_t), stream_));
    BOBBIN_TRY(copy_async(indices.data(), rows.data(), indices.size(), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(kRows * sizeof(uint32_t), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer fault, DeviceBuffer::create(sizeof(uint32_t), stream_));
    BOBBIN_ASSIGN(const Sample raw, timer_.measure([&] {
      return simt::CudaExecutor(stream_).run(
          RawTake<uint32_t>{
              {a.raw.as<uint32_t>(), values_}, {indices.as<uint64_t>(), kRows}, {out.as<uint32_t>(), kRows}},
          kRows / RawTake<uint32_t>::kThreads);
    }));
    BOBBIN_ASSIGN(const auto expected, download(out));
    BOBBIN_ASSIGN(const Sample ours, timer_.measure([&] {
      return plan::take_on_device(a.there.array, indices.as<uint64_t>(), kRows, out.data(),
                                  fault.as<uint32_t>(), stream_);
    }));
    BOBBIN_ASSIGN(const auto got, download(out));
    BOBBIN_RETURN_IF(got != expected, StatusCode::device,
                     "take: the values differ from those of the raw array");
    add("take of 2^20 rows", "against a raw gather", array::encoded_bytes(a.there.array), ours, raw,
        kRows * sizeof(uint32_t), bar);
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  [[nodiscard]] bool wants(const std::string& what) const {
    return what.find(args_.only) != std::string::npos;
  }

  template <class T>
  struct Both {
    DeviceBuffer raw;
    array::OnDevice there;
    Array host;
  };
  template <class T>
  Result<Both<T>> load(CodecId codec, const std::vector<T>& block) {
    BOBBIN_ASSIGN(DeviceBuffer raw, DeviceBuffer::create(values_ * sizeof(T), stream_));
    for (uint64_t at = 0; at < values_; at += kBlock) {
      BOBBIN_TRY(copy_async(raw.template as<T>() + at, block.data(), kBlock * sizeof(T), stream_));
    }
    const auto encode = [&]() -> Result<Array> {
      if constexpr (std::is_same_v<T, uint32_t>) {
        if (codec == CodecId::rle || codec == CodecId::sparse) {
          return encode_rows(codec, block);
        }
      }
      return array::encode(codec, {kDTypeOf<T>, block.data(), kBlock}, Backend::cpu);
    };
    BOBBIN_ASSIGN(const Array encoded, encode());
    Array host = repeat(encoded, values_ / kBlock);
    BOBBIN_ASSIGN(array::OnDevice there, array::to_device(host, stream_));
    BOBBIN_TRY(stream_.synchronize());
    return Both<T>{std::move(raw), std::move(there), std::move(host)};
  }

  Result<std::vector<std::byte>> download(const DeviceBuffer& buffer) {
    std::vector<std::byte> bytes(buffer.size());
    BOBBIN_TRY(copy_async(bytes.data(), buffer.data(), bytes.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    return bytes;
  }

  template <class K>
  Status run_raw(const K& kernel) {
    BOBBIN_TRY(fill_async(kernel.result, 0, sizeof(RawResult), stream_));
    const simt::CudaExecutor executor(stream_);
    BOBBIN_ASSIGN(const uint32_t blocks, executor.template most_together<K>());
    return executor.run(kernel, blocks);
  }

  Status compare(const std::string& what, std::vector<const Array*> arrays, const plan::Filter& filter,
                 const std::vector<plan::Aggregate>& aggregates, const DeviceBuffer& raw_result,
                 const Sample& raw, uint64_t raw_bytes, double bar) {
    RawResult expected;
    BOBBIN_TRY(copy_async(&expected, raw_result.data(), sizeof expected, stream_));
    BOBBIN_TRY(stream_.synchronize());
    std::vector<plan::Source> sources;
    uint64_t encoded = 0;
    for (const Array* array : arrays) {
      sources.push_back({array, nullptr});
      encoded += array::encoded_bytes(*array);
    }
    for (const plan::QueryPath path :
         {plan::QueryPath::compiled, plan::QueryPath::automatic, plan::QueryPath::interpreted}) {
      if (args_.compiled && path != plan::QueryPath::compiled) {
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      auto made = plan::Prepared::create(sources, filter, aggregates, stream_, path);
      if (!made.has_value() && made.error().code() == StatusCode::unsupported) {
        continue;  // not every encoding has this path
      }
      BOBBIN_ASSIGN(const plan::Prepared query, std::move(made));
      if (path == plan::QueryPath::compiled) {
        if (const Status used = measure_first_use(query, start); !used.ok()) {
          std::printf("%s: not compiled: %s\n", what.c_str(), std::string(used.message()).c_str());
          continue;  // other paths need no compiler
        }
      }
      BOBBIN_ASSIGN(const Sample ours, timer_.measure([&] { return query.run(stream_); }));
      BOBBIN_ASSIGN(const auto totals, query.totals(stream_));
      const bool right =
          totals[0].count == expected.count &&
          (is_float(arrays.back()->type) ? std::abs(totals[0].real_sum / expected.real - 1) < 1e-9
                                         : totals[0].sum == Int128{expected.sum});
      BOBBIN_RETURN_IF(!right, StatusCode::device,
                       what +
                           ": the answer differs from the raw kernel's: " + std::to_string(totals[0].count) +
                           " rows instead of " + std::to_string(expected.count));
      add(what,
          path == plan::QueryPath::compiled    ? "compiled"
          : path == plan::QueryPath::automatic ? "automatic"
                                               : "interpreted",
          encoded, ours, raw, raw_bytes, path == plan::QueryPath::automatic ? bar : 0);
      if (path == plan::QueryPath::compiled && arrays.size() == 1 && arrays[0]->children.size() == 2 &&
          arrays[0]->buffers.empty()) {
        // Children of ascending rows are decoded before the first run.
        BOBBIN_ASSIGN(const Sample whole, timer_.measure([&]() -> Status {
          BOBBIN_ASSIGN(const auto fresh, plan::Prepared::create(sources, filter, aggregates, stream_, path));
          return fresh.run(stream_);
        }));
        add(what, "compiled, prepared for each run", encoded, whole, raw, raw_bytes, 0);
      }
    }
    return {};
  }

  // From the query to its answer with the compiler, and how long the kernel takes from the folder.
  Status measure_first_use(const plan::Prepared& query, std::chrono::steady_clock::time_point start) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    BOBBIN_TRY(query.run(stream_));
    BOBBIN_ASSIGN(const auto totals, query.totals(stream_));
    first_use_ms_ = Milliseconds(std::chrono::steady_clock::now() - start).count();
    for (const std::string& source : query.sources()) {
      const auto again = std::chrono::steady_clock::now();
      jit::Cache cache(jit::FolderOptions::from_environment());
      BOBBIN_ASSIGN(const auto code, cache.get(source, 90));
      from_folder_ms_ = Milliseconds(std::chrono::steady_clock::now() - again).count();
      std::printf("%s%zu bytes; first use %.0f ms, from the folder %.1f ms (%llu compiled)\n", source.c_str(),
                  code->size(), first_use_ms_, from_folder_ms_,
                  static_cast<unsigned long long>(cache.counts().compiled));
    }
    return {};
  }

  void add(const std::string& what, const std::string& how, uint64_t encoded, const Sample& ours,
           const Sample& raw, uint64_t raw_bytes, double bar) {
    const double times = raw.median_s / ours.median_s;
    table_.add({what, how, number(ours.median_s * 1e3, 3), number(raw.median_s * 1e3, 3),
                number(raw.bytes_per_second(raw_bytes) / 1e9, 0),
                number(ours.bytes_per_second(encoded) / 1e9, 0),
                number(ours.bytes_per_second(raw_bytes) / 1e9, 0), number(times, 2),
                bar > 0 ? number(bar, 1) : "-"});
    rows_.push_back({{"what", what},
                     {"how", how},
                     {"values", values_},
                     {"encoded_bytes", encoded},
                     {"raw_bytes", raw_bytes},
                     {"seconds", to_json(ours)},
                     {"raw_seconds", to_json(raw)},
                     {"raw_gb_per_s", raw.bytes_per_second(raw_bytes) / 1e9},
                     {"encoded_gb_per_s", ours.bytes_per_second(encoded) / 1e9},
                     {"values_gb_per_s", ours.bytes_per_second(raw_bytes) / 1e9},
                     {"times_raw", times},
                     {"memcpy_gb_per_s", memcpy_ / 1e9},
                     {"bar", bar}});
    if (how == "compiled") {
      rows_.back()["first_use_ms"] = first_use_ms_;
      rows_.back()["from_folder_ms"] = from_folder_ms_;
    }
  }

  StreamView stream_;
  GpuTimer timer_;
  Args args_;
  uint64_t values_;
  double memcpy_ = 0;
  double first_use_ms_ = 0;  // of the last compiled query
  double from_folder_ms_ = 0;
  TextTable table_{
      {"what", "how", "ms", "raw ms", "raw GB/s", "encoded GB/s", "GB/s of values", "times raw", "bar"}, 2};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  const Args args(arguments);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  QueryBench bench(stream.view(), std::move(timer), args);
  BOBBIN_TRY(bench.measure_memcpy());
  for (const uint32_t bits : {4U, 8U, 12U, 16U}) {
    BOBBIN_TRY(bench.measure_one<uint32_t>("u32, " + std::to_string(bits) + " bits", CodecId::ffor,
                                           make_integers(bits, 0), 1, (1U << bits) / 2, bits == 8 ? 2.5 : 0));
  }
  BOBBIN_TRY(bench.measure_three<false>(8, 2));
  BOBBIN_TRY(bench.measure_three<true>(8, 0));
  BOBBIN_TRY(bench.measure_three<false>(8, 0, 16));
  BOBBIN_TRY(bench.measure_one<double>("f64, 16 bits", CodecId::alp, make_prices<double>(0), 100, 400, 2.5));
  BOBBIN_TRY(bench.measure_one<double>("f64, 16 bits, 1 % exceptions", CodecId::alp,
                                       make_prices<double>(0.01), 100, 400, 0));
  BOBBIN_TRY(bench.measure_one<float>("f32, 16 bits", CodecId::alp, make_prices<float>(0), 100, 400, 0));
  for (const uint32_t bits : {8U, 16U}) {
    BOBBIN_TRY(bench.measure_one<uint32_t>("u32, dictionary of " + std::to_string(1U << bits), CodecId::dict,
                                           make_few(bits), 1, 1U << 23, 0));
  }
  BOBBIN_TRY(
      bench.measure_one<uint32_t>("u32, delta of 8 bits", CodecId::delta, make_ascending(8), 1, 1U << 28, 0));
  BOBBIN_TRY(bench.measure_one<double>("f64, alprd", CodecId::alprd, make_reals(), 1.25, 1.75, 0));
  for (const uint32_t run : {16U, 256U}) {
    BOBBIN_TRY(bench.measure_one<uint32_t>("u32, runs of " + std::to_string(run), CodecId::rle,
                                           make_runs(run), 1, 128, 5));
  }
  BOBBIN_TRY(bench.measure_one<uint32_t>("u32, 1 % differ", CodecId::sparse, make_sparse(), 1, 128, 0));
  BOBBIN_TRY(bench.measure_groups(8, 2));
  BOBBIN_TRY(bench.measure_groups(20, 0));
  BOBBIN_TRY(bench.measure_filter(false, 1));
  BOBBIN_TRY(bench.measure_filter(true, 5));
  BOBBIN_TRY(bench.measure_take(0.5));
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
