// SPDX-License-Identifier: Apache-2.0
// The CPU's figures for queries over encoded columns, compared with a loop over raw values that the compiler
// vectorised, and for decoding ALP, compared with memcpy; one core. All results are compared. Times are those
// of the CPU, so that other work on the machine counts less.
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/program.hpp"
#include "core/portable.hpp"
#include "core/scalar.hpp"
#include "measure/report.hpp"
#include "measure/timing.hpp"
#include "plan/host.hpp"

namespace bobbin::bench {
namespace {

struct Args {
  explicit Args(const Arguments& from) : values(from.number("--values", uint64_t{1} << 26)) {}

  uint64_t values;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// As measure(), cold.
template <class F>
Sample measure_cpu(F&& work) {
  constexpr int kRuns = 11;
  work();
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) {
    flush_cpu_caches();
    const double begin = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - begin);
  }
  return summarize(std::move(seconds));
}

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Integers of some width; or prices with two digits.
template <class T>
std::vector<T> make_values(uint64_t count, uint32_t bits) {
  std::vector<T> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t random = mix(i + 1) >> (64 - bits);
    values[i] = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(random) / 100)
                                            : static_cast<T>(random);
  }
  return values;
}

// A few distinct integers, in runs of some length.
std::vector<uint32_t> make_few(uint64_t count, uint32_t bits, uint64_t run) {
  std::vector<uint32_t> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    values[i] = static_cast<uint32_t>(mix(mix(i / run + 1) % (uint64_t{1} << bits)) >> 40);
  }
  return values;
}

template <class T>
struct Answer {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

  uint64_t count = 0;
  Sum sum = 0;
};

// where low <= a <= high: count and sum of a.
template <class T>
BOBBIN_INLINE Answer<T> raw_query(const T* values, uint64_t count, T low, T high) {
  // Eight chains: a single chain of double additions would be limited by latency.
  Answer<T> parts[8];
  for (uint64_t i = 0; i + 8 <= count; i += 8) {
    for (uint64_t k = 0; k < 8; ++k) {
      const T value = values[i + k];
      const bool hit = (value >= low) & (value <= high);
      parts[k].count += hit ? 1 : 0;
      parts[k].sum += hit ? static_cast<typename Answer<T>::Sum>(value) : 0;
    }
  }
  Answer<T> all;
  for (const Answer<T>& part : parts) {
    all.count += part.count;
    all.sum += part.sum;
  }
  return all;
}
template <class T>
BOBBIN_AVX2 Answer<T> raw_query_avx2(const T* values, uint64_t count, T low, T high) {
  return raw_query<T>(values, count, low, high);
}

// Columns of lineitem with TPC-H's distributions: days, and decimals with two digits.
struct LineItems {
  std::vector<int32_t> shipdate;  // within 7 years
  std::vector<int64_t> discount;  // 0.00 to 0.10
  std::vector<int64_t> quantity;  // 1 to 50
  std::vector<int64_t> price;     // quantity times 900 to 2099

  explicit LineItems(uint64_t count) : shipdate(count), discount(count), quantity(count), price(count) {
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t random = mix(i + 1);
      shipdate[i] = static_cast<int32_t>(8037 + random % 2526);
      discount[i] = static_cast<int64_t>(random >> 12) % 11;
      quantity[i] = (static_cast<int64_t>(random >> 24 & 0xffff) % 50 + 1) * 100;
      price[i] = quantity[i] / 100 * (90'000 + static_cast<int64_t>(random >> 40) % 120'000);
    }
  }
  [[nodiscard]] uint64_t bytes() const { return price.size() * (sizeof(int32_t) + 3 * sizeof(int64_t)); }
};

// Ranges of a query, inclusive: sum(price * discount) of rows in all of them. TPC-H Q6; SSB's Q1.1 is of the
// same shape, with other ranges.
struct Ranges {
  int32_t days[2];
  int64_t discount[2];
  int64_t quantity[2];
};

BOBBIN_INLINE Answer<uint64_t> raw_revenue(const LineItems& lines, const Ranges& ranges) {
  Answer<uint64_t> all;
  for (uint64_t i = 0; i < lines.price.size(); ++i) {
    const bool hit = (lines.shipdate[i] >= ranges.days[0]) & (lines.shipdate[i] <= ranges.days[1]) &
                     (lines.discount[i] >= ranges.discount[0]) & (lines.discount[i] <= ranges.discount[1]) &
                     (lines.quantity[i] >= ranges.quantity[0]) & (lines.quantity[i] <= ranges.quantity[1]);
    all.count += hit ? 1 : 0;
    all.sum += hit ? static_cast<uint64_t>(lines.price[i] * lines.discount[i]) : 0;
  }
  return all;
}
BOBBIN_AVX2 Answer<uint64_t> raw_revenue_avx2(const LineItems& lines, const Ranges& ranges) {
  return raw_revenue(lines, ranges);
}

class CpuQueryBench {
 public:
  Status measure_revenue(const std::string& what, const LineItems& lines, const Ranges& ranges) {
    Answer<uint64_t> expected;
    const auto query = have_avx2() ? &raw_revenue_avx2 : &raw_revenue;
    const Sample raw = measure_cpu([&] { expected = query(lines, ranges); });
    std::vector<Array> arrays;
    plan::Filter filter;
    const auto add_column = [&]<class T>(const std::vector<T>& values, CodecId codec) -> Status {
      BOBBIN_ASSIGN(Array array,
                    array::encode(codec, {kDTypeOf<T>, values.data(), values.size()}, Backend::cpu));
      arrays.push_back(std::move(array));
      return {};
    };
    const auto add_test = [&]<class T>(const T(&range)[2]) {
      filter.push_back({plan::Condition::Kind::test, static_cast<uint32_t>(arrays.size() - 1),
                        ValueRange::between(kDTypeOf<T>, scalar_of(range[0]), scalar_of(range[1]))});
      if (filter.size() > 1) {
        filter.push_back({.kind = plan::Condition::Kind::both});
      }
    };
    BOBBIN_TRY(add_column(lines.shipdate, CodecId::ffor));
    add_test(ranges.days);
    BOBBIN_TRY(add_column(lines.discount, CodecId::ffor));
    add_test(ranges.discount);
    BOBBIN_TRY(add_column(lines.quantity, CodecId::dict));
    add_test(ranges.quantity);
    BOBBIN_TRY(add_column(lines.price, CodecId::ffor));
    using Op = plan::Expression::Op;
    using Type = plan::NumberType;
    const auto product = std::make_shared<const plan::Expression>(
        plan::Expression{{{.op = Op::column, .type = Type::i32, .column = 3},
                          {.op = Op::column, .type = Type::i32, .column = 1},
                          {.op = Op::multiply, .type = Type::i64}}});
    const std::vector<plan::Aggregate> sum{{plan::Fold::sum, {}, product}};
    std::vector<plan::Source> columns;
    uint64_t encoded = 0;
    for (const Array& array : arrays) {
      columns.push_back({&array, nullptr});
      encoded += array::encoded_bytes(array);
    }
    std::vector<plan::Total> totals;
    const Sample ours = measure_cpu([&] { totals = *plan::run_on_host(columns, filter, sum); });
    BOBBIN_RETURN_IF(totals[0].count != expected.count || totals[0].sum != Int128{expected.sum},
                     StatusCode::corrupt, what + ": the answers differ");
    add(what, "query", encoded, lines.bytes(), ours, raw, "a raw loop");
    return {};
  }

  template <class T>
  Status measure_query(const std::string& what, CodecId codec, const std::vector<T>& values, T low, T high) {
    BOBBIN_ASSIGN(const Array array,
                  array::encode(codec, {kDTypeOf<T>, values.data(), values.size()}, Backend::cpu));
    Answer<T> expected;
    const auto query = have_avx2() ? &raw_query_avx2<T> : &raw_query<T>;
    const Sample raw = measure_cpu([&] { expected = query(values.data(), values.size(), low, high); });
    const plan::Filter filter{
        {plan::Condition::Kind::test, 0, ValueRange::between(kDTypeOf<T>, scalar_of(low), scalar_of(high))}};
    const std::vector<plan::Aggregate> sum{{plan::Fold::sum, 0}};
    const std::vector<plan::Source> columns{{&array, nullptr}};
    std::vector<plan::Total> totals;
    const Sample ours = measure_cpu([&] { totals = *plan::run_on_host(columns, filter, sum); });
    BOBBIN_RETURN_IF(totals[0].count != expected.count, StatusCode::corrupt, what + ": the answers differ");
    const uint64_t bytes = values.size() * sizeof(T);
    add(what, "query", array::encoded_bytes(array), bytes, ours, raw, "a raw loop");
    return {};
  }

  template <class T>
  Status measure_decode(const std::string& what, CodecId codec, const std::vector<T>& values) {
    BOBBIN_ASSIGN(const Array array,
                  array::encode(codec, {kDTypeOf<T>, values.data(), values.size()}, Backend::cpu));
    const uint64_t bytes = values.size() * sizeof(T);
    const Bytes out(bytes);
    const Sample copy = measure_cpu([&] { std::memcpy(out.data(), values.data(), bytes); });
    Status status;
    const Sample ours = measure_cpu([&] { status = array::decode(array, out.span()); });
    BOBBIN_TRY(status);
    BOBBIN_RETURN_IF(std::memcmp(out.data(), values.data(), bytes) != 0, StatusCode::corrupt,
                     what + ": decoded incorrectly");
    add(what, "decode", array::encoded_bytes(array), bytes, ours, copy, "memcpy");
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  void add(const std::string& what, const std::string& how, uint64_t encoded, uint64_t bytes,
           const Sample& ours, const Sample& other, const std::string& than) {
    const double times = other.median_s / ours.median_s;
    table_.add({what, how, number(8.0 * static_cast<double>(encoded) / static_cast<double>(bytes), 2),
                number(ours.bytes_per_second(bytes) / 1e9, 2), number(other.bytes_per_second(bytes) / 1e9, 2),
                number(times, 2), than});
    rows_.push_back({{"what", what},
                     {"how", how},
                     {"encoded_bytes", encoded},
                     {"raw_bytes", bytes},
                     {"seconds", to_json(ours)},
                     {"other_seconds", to_json(other)},
                     {"times", times},
                     {"than", than}});
  }

  TextTable table_{{"what", "how", "bits of 8", "GB/s of values", "other GB/s", "times", "than"}, 2};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  const Args args(arguments);
  CpuQueryBench bench;
  for (const uint32_t bits : {4U, 8U, 16U}) {
    BOBBIN_TRY(bench.measure_query<uint32_t>("u32, " + std::to_string(bits) + " bits", CodecId::ffor,
                                             make_values<uint32_t>(args.values, bits), 1, (1U << bits) / 2));
  }
  for (const uint32_t bits : {8U, 16U}) {
    BOBBIN_TRY(bench.measure_query<uint32_t>("u32, dictionary of " + std::to_string(1U << bits),
                                             CodecId::dict, make_few(args.values, bits, 1), 1, 1U << 23));
  }
  for (const uint64_t run : {16U, 256U}) {
    BOBBIN_TRY(bench.measure_query<uint32_t>("u32, runs of " + std::to_string(run), CodecId::rle,
                                             make_few(args.values, 8, run), 1, 1U << 23));
  }
  const auto wide = make_values<double>(args.values / 2, 16);
  BOBBIN_TRY(bench.measure_query<double>("f64, 16 bits", CodecId::alp, wide, 100, 400));
  BOBBIN_TRY(bench.measure_decode<double>("f64, 16 bits", CodecId::alp, wide));
  BOBBIN_TRY(bench.measure_decode<float>("f32, 16 bits", CodecId::alp, make_values<float>(args.values, 16)));
  const LineItems lines(args.values / 4);
  BOBBIN_TRY(bench.measure_revenue("TPC-H Q6", lines, {{8766, 9130}, {5, 7}, {100, 2300}}));
  BOBBIN_TRY(bench.measure_revenue("SSB Q1.1", lines, {{8401, 8765}, {1, 3}, {100, 2400}}));
  BOBBIN_TRY(bench.measure_revenue("SSB Q1.2", lines, {{8766, 8796}, {4, 6}, {2600, 3500}}));
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
