// SPDX-License-Identifier: Apache-2.0
// TPC-H's Q6 and Q1 and SSB's Q1.1 to Q1.3 on a GPU, columns resident, compared with hand-written kernels on
// raw columns in the same run. All answers are compared. Then Q6 from a file in the page cache to its answer,
// compared with a copy of the compressed bytes of its columns from pinned memory, and the time of each stage.
// --rows 0 measures the file only.
// usage: bobbin-bench-gpu-tpch [--rows N] [--file-rows N] [--group N] [--out FILE.json]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/lineitem.hpp"
#include "bench/program.hpp"
#include "bench/query_file.hpp"
#include "bench/raw_tpch.cuh"
#include "bench/repeat.hpp"
#include "bobbin/query.hpp"
#include "core/scalar.hpp"
#include "measure/report.hpp"
#include "plan/plan.hpp"
#include "table/read_ahead.hpp"

namespace bobbin::bench {
namespace {

using plan::Bounds;
using plan::Expression;
using plan::NumberType;

constexpr uint64_t kBlock = uint64_t{1} << 20;

// A column, raw and encoded, both in device memory.
template <class T>
struct Both {
  DeviceBuffer raw;
  array::OnDevice there;

  [[nodiscard]] const T* values() const { return raw.as<T>(); }
  [[nodiscard]] uint64_t encoded_bytes() const { return array::encoded_bytes(there.array); }
};

// Integers of columns and constants; each step has the type that holds its values.
struct Formula {
  Expression expression{};
  Bounds bounds{};

  static Formula column(uint32_t number, int64_t least, int64_t greatest) {
    const Bounds bounds{least, greatest};
    return {{{{.op = Expression::Op::column, .type = plan::type_for(bounds), .column = number}},
             plan::bits_for(bounds)},
            bounds};
  }
  static Formula constant(int64_t value) {
    const Bounds bounds{value, value};
    return {{{{.op = Expression::Op::constant, .type = plan::type_for(bounds), .integer = value}},
             plan::bits_for(bounds)},
            bounds};
  }
  static Formula two(Expression::Op op, const Formula& a, const Formula& b) {
    const Bounds bounds = plan::bounds_of(op, a.bounds, b.bounds);
    Formula made{{a.expression.steps, plan::bits_for(bounds)}, bounds};
    auto& steps = made.expression.steps;
    steps.insert(steps.end(), b.expression.steps.begin(), b.expression.steps.end());
    steps.push_back({.op = op, .type = plan::type_for(bounds)});
    return made;
  }
  [[nodiscard]] plan::Aggregate sum() const {
    return {plan::Fold::sum, {}, std::make_shared<const Expression>(expression)};
  }
};

// Ranges of a query, inclusive: sum(price * discount) of rows in all of them.
struct Ranges {
  Between<int32_t> day;
  Between<int64_t> discount;
  Between<int64_t> quantity;
};

class TpchBench {
 public:
  TpchBench(StreamView stream, GpuTimer timer, uint64_t rows)
      : stream_(stream), timer_(std::move(timer)), times_(rows / kBlock), rows_(times_ * kBlock) {}

  // T: the type of raw columns, but for days.
  template <class T>
  Status measure_revenue(const std::string& what, const LineItems& lines, const Ranges& ranges) {
    BOBBIN_ASSIGN(const Both<int32_t> day, load(lines.day));
    BOBBIN_ASSIGN(const Both<T> discount, load(std::vector<T>(lines.discount.begin(), lines.discount.end())));
    BOBBIN_ASSIGN(const Both<T> quantity, load(std::vector<T>(lines.quantity.begin(), lines.quantity.end())));
    BOBBIN_ASSIGN(const Both<T> price, load(std::vector<T>(lines.price.begin(), lines.price.end())));
    BOBBIN_ASSIGN(const DeviceBuffer result, DeviceBuffer::create(sizeof(RawResult), stream_));
    const auto narrow = [](const Between<int64_t>& range) {
      return Between<T>{static_cast<T>(range.low), static_cast<T>(range.high)};
    };
    const auto raw_kernel = [&]<bool kLazy>() {
      return RawRevenue<T, kLazy>{day.values(),
                                  discount.values(),
                                  quantity.values(),
                                  price.values(),
                                  rows_ / 4,
                                  ranges.day,
                                  narrow(ranges.discount),
                                  narrow(ranges.quantity),
                                  result.template as<RawResult>()};
    };
    BOBBIN_ASSIGN(const Sample whole, measure_raw(raw_kernel.template operator()<false>(), result));
    BOBBIN_ASSIGN(const Sample lazy, measure_raw(raw_kernel.template operator()<true>(), result));
    RawResult expected;
    BOBBIN_TRY(copy_async(&expected, result.data(), sizeof expected, stream_));
    BOBBIN_TRY(stream_.synchronize());

    const std::vector<plan::Source> sources{{.array = &day.there.array},
                                            {.array = &discount.there.array},
                                            {.array = &quantity.there.array},
                                            {.array = &price.there.array}};
    const plan::Filter filter = {test<int32_t>(0, ranges.day),
                                 test<T>(1, narrow(ranges.discount)),
                                 {.kind = plan::Condition::Kind::both},
                                 test<T>(2, narrow(ranges.quantity)),
                                 {.kind = plan::Condition::Kind::both}};
    const std::vector<plan::Aggregate> sum{
        Formula::two(Expression::Op::multiply, Formula::column(3, 0, 10'500'000), Formula::column(1, 0, 10))
            .sum()};
    BOBBIN_ASSIGN(const auto query,
                  plan::Prepared::create(sources, filter, sum, stream_, plan::QueryPath::compiled));
    BOBBIN_ASSIGN(const Sample ours, measure_query(query));
    BOBBIN_ASSIGN(const auto totals, query.totals(stream_));
    BOBBIN_RETURN_IF(totals[0].count != expected.count || totals[0].sum != Int128{expected.sum},
                     StatusCode::device,
                     what + ": the answer differs from the raw kernel's: " + std::to_string(totals[0].count) +
                         " rows instead of " + std::to_string(expected.count));
    const uint64_t encoded =
        day.encoded_bytes() + discount.encoded_bytes() + quantity.encoded_bytes() + price.encoded_bytes();
    add(what, encoded, rows_ * (sizeof(int32_t) + 3 * sizeof(T)), ours, whole, &lazy);
    return {};
  }

  // TPC-H Q1.
  Status measure_pricing(const LineItems& lines, int32_t last_day) {
    const std::string what = "TPC-H Q1";
    BOBBIN_ASSIGN(const Both<int32_t> day, load(lines.day));
    BOBBIN_ASSIGN(const Both<int64_t> quantity, load(lines.quantity));
    BOBBIN_ASSIGN(const Both<int64_t> price, load(lines.price));
    BOBBIN_ASSIGN(const Both<int64_t> discount, load(lines.discount));
    BOBBIN_ASSIGN(const Both<int64_t> tax, load(lines.tax));
    BOBBIN_ASSIGN(const Both<uint8_t> flag, load(lines.flag));
    BOBBIN_ASSIGN(const Both<uint8_t> state, load(lines.state));
    std::vector<RawPricing::Result> expected(RawPricing::kKeys);
    BOBBIN_ASSIGN(const DeviceBuffer results,
                  DeviceBuffer::create(expected.size() * sizeof(RawPricing::Result), stream_));
    const RawPricing kernel{day.values(),   quantity.values(),
                            price.values(), discount.values(),
                            tax.values(),   flag.values(),
                            state.values(), rows_ / 4,
                            last_day,       results.as<RawPricing::Result>()};
    BOBBIN_ASSIGN(const Sample raw, measure_raw(kernel, results));
    BOBBIN_TRY(copy_async(expected.data(), results.data(), results.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());

    const std::vector<plan::Source> sources{{.array = &day.there.array},   {.array = &quantity.there.array},
                                            {.array = &price.there.array}, {.array = &discount.there.array},
                                            {.array = &tax.there.array},   {.array = &flag.there.array},
                                            {.array = &state.there.array}};
    using Op = Expression::Op;
    const Formula discounted =
        Formula::two(Op::multiply, Formula::column(2, 0, 10'500'000),
                     Formula::two(Op::subtract, Formula::constant(100), Formula::column(3, 0, 10)));
    const Formula charge = Formula::two(
        Op::multiply, discounted, Formula::two(Op::add, Formula::constant(100), Formula::column(4, 0, 8)));
    const std::vector<plan::Aggregate> aggregates{
        {plan::Fold::count, {}}, {plan::Fold::sum, 1}, {plan::Fold::sum, 2},
        discounted.sum(),        charge.sum(),         {plan::Fold::sum, 3}};
    const std::vector<plan::KeyColumn> keys{{.column = 5, .low = 0, .values = 3},
                                            {.column = 6, .low = 0, .values = 2}};
    BOBBIN_ASSIGN(const auto query,
                  plan::Prepared::create_groups(sources, {test<int32_t>(0, {0, last_day})}, aggregates, keys,
                                                stream_, plan::QueryPath::compiled));
    BOBBIN_ASSIGN(const Sample ours, measure_query(query));
    BOBBIN_ASSIGN(const auto totals, query.totals(stream_));
    for (size_t k = 0; k < expected.size(); ++k) {
      const plan::Total* const total = totals.data() + k * aggregates.size();
      const RawPricing::Result& want = expected[k];
      const bool same = total[0].count == want.count && total[1].sum == Int128{want.quantity} &&
                        total[2].sum == Int128{want.price} && total[3].sum == Int128{want.discounted} &&
                        total[4].sum == Int128{want.charge} && total[5].sum == Int128{want.discount};
      BOBBIN_RETURN_IF(!same, StatusCode::device,
                       what + ": group " + std::to_string(k) + " differs from the raw kernel's: " +
                           std::to_string(total[0].count) + " rows instead of " + std::to_string(want.count));
    }
    add(what,
        day.encoded_bytes() + quantity.encoded_bytes() + price.encoded_bytes() + discount.encoded_bytes() +
            tax.encoded_bytes() + flag.encoded_bytes() + state.encoded_bytes(),
        rows_ * (sizeof(int32_t) + 4 * sizeof(int64_t) + 2), ours, raw, nullptr);
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& results() const { return results_; }

 private:
  template <class T>
  Result<Both<T>> load(const std::vector<T>& block) {
    BOBBIN_ASSIGN(DeviceBuffer raw, DeviceBuffer::create(rows_ * sizeof(T), stream_));
    for (uint64_t at = 0; at < rows_; at += kBlock) {
      BOBBIN_TRY(copy_async(raw.template as<T>() + at, block.data(), kBlock * sizeof(T), stream_));
    }
    BOBBIN_ASSIGN(const Array encoded,
                  array::encode(CodecId::ffor, {kDTypeOf<T>, block.data(), kBlock}, Backend::cpu));
    const Array host = repeat(encoded, times_);
    BOBBIN_ASSIGN(array::OnDevice there, array::to_device(host, stream_));
    BOBBIN_TRY(stream_.synchronize());
    return Both<T>{std::move(raw), std::move(there)};
  }
  template <class T>
  static plan::Condition test(uint32_t column, const Between<T>& range) {
    return {.kind = plan::Condition::Kind::test,
            .column = column,
            .range = ValueRange::between(kDTypeOf<T>, scalar_of(range.low), scalar_of(range.high))};
  }
  template <class K>
  Result<Sample> measure_raw(const K& kernel, const DeviceBuffer& result) {
    const simt::CudaExecutor executor(stream_);
    BOBBIN_ASSIGN(const uint32_t blocks, executor.template most_together<K>());
    return timer_.measure([&]() -> Status {
      BOBBIN_TRY(fill_async(result.data(), 0, result.size(), stream_));
      return executor.run(kernel, blocks);
    });
  }
  Result<Sample> measure_query(const plan::Prepared& query) {
    for (const std::string& source : query.sources()) {
      std::printf("%s", source.c_str());
    }
    return timer_.measure([&] { return query.run(stream_); });
  }

  // The raw kernel that is compared is the faster one.
  void add(const std::string& what, uint64_t encoded, uint64_t raw_bytes, const Sample& ours,
           const Sample& whole, const Sample* lazy) {
    const Sample& raw = lazy != nullptr && lazy->median_s < whole.median_s ? *lazy : whole;
    const double times = raw.median_s / ours.median_s;
    table_.add({what, number(ours.median_s * 1e3, 3), number(whole.median_s * 1e3, 3),
                lazy != nullptr ? number(lazy->median_s * 1e3, 3) : "-",
                number(whole.bytes_per_second(raw_bytes) / 1e9, 0),
                number(ours.bytes_per_second(encoded) / 1e9, 0), number(times, 2)});
    results_.push_back({{"what", what},
                        {"rows", rows_},
                        {"encoded_bytes", encoded},
                        {"raw_bytes", raw_bytes},
                        {"seconds", to_json(ours)},
                        {"raw_seconds", to_json(whole)},
                        {"times_faster_raw", times},
                        {"bar", 2.0}});
    if (lazy != nullptr) {
      results_.back()["raw_lazy_seconds"] = to_json(*lazy);
    }
  }

  StreamView stream_;
  GpuTimer timer_;
  uint64_t times_;
  uint64_t rows_;
  TextTable table_{{"what", "ms", "raw ms", "raw, lazy ms", "raw GB/s", "encoded GB/s", "times raw"}, 1};
  Json results_ = Json::array();
};

// Several runs of work that waits for the GPU itself, by the clock of the host.
template <class Work>
Result<Sample> measure_waiting(Work&& work) {
  constexpr int kWarmUp = 3;
  constexpr int kRuns = 9;
  std::vector<double> seconds;
  for (int run = -kWarmUp; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    BOBBIN_TRY(work());
    if (run >= 0) {
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  }
  return summarize(std::move(seconds));
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The same chunks read ahead, checked and copied, without a question.
Status read_all_ahead(const Reader& reader, StreamView stream) {
  std::vector<table::Part> chunks;
  BOBBIN_TRY(for_each_chunk(reader, [&](size_t group, size_t column, uint64_t /*bytes*/) -> Status {
    chunks.push_back(table::whole_chunk(reader, group, column));
    return {};
  }));
  BOBBIN_ASSIGN(const auto ahead, table::ReadAhead::start(reader, std::move(chunks), stream));
  BOBBIN_TRY(for_each_chunk(reader, [&](size_t group, size_t column, uint64_t /*bytes*/) -> Status {
    BOBBIN_RETURN_IF(!ahead->find(group, column).has_value(), StatusCode::io, "a chunk was not read");
    return {};
  }));
  return stream.synchronize();
}

// From a file in the page cache to the answer of Q6: what a copy of the same bytes takes, divided by what the
// query takes. What bounds it is the largest of: reading and checking by one thread, divided by the threads;
// reading, checking and copying without a question, which should be close to the copy alone; and the time of
// the thread that asks, which is in the query only.
Status measure_file(TextTable& table, Json& results, const LineItems& lines, uint64_t rows,
                    uint64_t rows_per_group) {
  const LinesFile file;
  BOBBIN_ASSIGN(const Reader reader, file.write(lines, rows, rows_per_group));
  BOBBIN_ASSIGN(const auto where, query::parse_predicate(kQ6Where));
  BOBBIN_ASSIGN(const auto sum, query::parse_aggregates(kQ6Sum));
  const auto ask = [&](Backend backend, std::string& answer) -> Status {
    BOBBIN_ASSIGN(const auto values, query::from(reader).on(backend).where(where).run(sum));
    answer = to_string(values[0]);
    return {};
  };
  std::string expected;
  std::string answer;
  BOBBIN_TRY(ask(Backend::cpu, expected));
  ::setenv("BOBBIN_QUERY_KERNELS", "compiled", 1);
  BOBBIN_ASSIGN(const Sample query, measure_waiting([&] { return ask(Backend::cuda, answer); }));
  BOBBIN_RETURN_IF(answer != expected, StatusCode::device,
                   "Q6 of a file: " + answer + " instead of " + expected);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(const Sample ahead, measure_waiting([&] { return read_all_ahead(reader, stream.view()); }));
  constexpr uint64_t kStagesBytes = uint64_t{64} << 20;
  BOBBIN_ASSIGN(const PinnedBuffer memory, PinnedBuffer::create(kStagesBytes, Backend::cuda));
  BOBBIN_ASSIGN(const HostStages stages, measure_host_stages(reader, memory.bytes(), clock_seconds));
  const uint64_t bytes = stages.bytes;
  BOBBIN_ASSIGN(const PinnedBuffer from, PinnedBuffer::create(bytes, Backend::cuda));
  BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(bytes, stream.view()));
  BOBBIN_ASSIGN(const Sample copy, measure_waiting([&]() -> Status {
                  BOBBIN_TRY(copy_async(to.data(), from.bytes().data(), bytes, stream.view()));
                  return stream.view().synchronize();
                }));
  const double share = copy.median_s / query.median_s;
  const auto ms = [](double seconds) { return number(seconds * 1e3, 2); };
  table.add({"Q6, row groups of " + std::to_string(rows_per_group), ms(query.median_s),
             number(static_cast<double>(bytes) / 1e6, 0), number(query.bytes_per_second(bytes) / 1e9, 1),
             number(copy.bytes_per_second(bytes) / 1e9, 1), number(share, 2), ms(stages.read_s),
             ms(stages.check_s), ms(ahead.median_s), ms(copy.median_s)});
  results.push_back({{"what", "TPC-H Q6, file in the page cache to answer"},
                     {"rows", rows},
                     {"rows_per_group", rows_per_group},
                     {"encoded_bytes", bytes},
                     {"seconds", to_json(query)},
                     {"copy_seconds", to_json(copy)},
                     {"read_ahead_seconds", to_json(ahead)},
                     {"one_thread_read_seconds", stages.read_s},
                     {"one_thread_check_seconds", stages.check_s},
                     {"share_of_copy", share},
                     {"bar", 0.8}});
  return {};
}

// SSB's lineorder: dates are numbers, and quantities are integers.
LineItems as_orders(const LineItems& lines) {
  LineItems orders = lines;
  for (uint64_t i = 0; i < lines.rows(); ++i) {
    orders.day[i] = date_number(lines.day[i]);
    orders.quantity[i] = lines.quantity[i] / 100;
  }
  return orders;
}

Status measure_resident(TpchBench& bench, const LineItems& lines) {
  BOBBIN_TRY(bench.measure_revenue<int64_t>("TPC-H Q6", lines, {{8766, 9130}, {5, 7}, {100, 2300}}));
  BOBBIN_TRY(bench.measure_pricing(lines, 10'471));
  const LineItems orders = as_orders(lines);
  BOBBIN_TRY(bench.measure_revenue<int32_t>("SSB Q1.1", orders, {{19930101, 19931231}, {1, 3}, {1, 24}}));
  BOBBIN_TRY(bench.measure_revenue<int32_t>("SSB Q1.2", orders, {{19940101, 19940131}, {4, 6}, {26, 35}}));
  return bench.measure_revenue<int32_t>("SSB Q1.3", orders, {{19940205, 19940211}, {5, 7}, {26, 35}});
}

Status run(const Arguments& arguments) {
  // As many rows as lineitem has at scale 30.
  const uint64_t rows = arguments.number("--rows", uint64_t{180} << 20);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  TpchBench bench(stream.view(), std::move(timer), rows);
  const LineItems lines = LineItems::drawn(kBlock);
  if (rows != 0) {
    BOBBIN_TRY(measure_resident(bench, lines));
  }
  TextTable files{{"file to answer", "ms", "MB", "GB/s", "copy GB/s", "of the copy", "one thread reads, ms",
                   "and checks", "read ahead, checked, copied", "copy"},
                  1};
  Json results = bench.results();
  const uint64_t file_rows = arguments.number("--file-rows", uint64_t{64} << 20);
  for (const uint64_t group : {arguments.number("--group", kBlock), 8 * kBlock}) {
    BOBBIN_TRY(measure_file(files, results, lines, file_rows, group));
  }
  return publish(bench.markdown() + "\n" + files.markdown(), results, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
