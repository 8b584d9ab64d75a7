// SPDX-License-Identifier: Apache-2.0
// Applications that read one array and count.
#include "assist/apps/counting.hpp"

#include "bench/assist_apps.cuh"

namespace bobbin::bench {
namespace {

using namespace assist::apps;

template <class Data, bool kFilters>
Status measure_sum(AppsBench& bench, const AppName& name) {
  using T = typename Data::Value;
  BOBBIN_ASSIGN(const auto values, bench.data<Data>(bench.bytes() / sizeof(T)));
  BOBBIN_TRY(bench.open(name, 2 * sizeof(uint64_t), values));
  const Global<unsigned long long> result{bench.result().as<unsigned long long>(), 2};
  const T low = Data::value(0);
  const T span = static_cast<T>(T{1} << (8 * sizeof(T) - 2));
  return measure_streams(
      bench,
      [&]<assist::Policy kPolicy, class View>(const View& view) {
        return assist::SumKernel<View, kFilters, kPolicy>{view, low, span, result};
      },
      values);
}

Status measure_histogram(AppsBench& bench) {
  BOBBIN_ASSIGN(const auto samples, bench.data<SampleData>(bench.bytes() / sizeof(uint32_t)));
  BOBBIN_TRY(bench.open({"histogram", Limit::memory}, 256 * sizeof(uint32_t), samples));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), 256};
  return measure_streams(
      bench,
      [&]<assist::Policy kPolicy, class View>(const View& view) {
        return HistogramApp<View, kPolicy>{view, result};
      },
      samples);
}

Status measure_page_views(AppsBench& bench) {
  BOBBIN_ASSIGN(const auto pages, bench.data<PageData>(bench.bytes() / sizeof(uint64_t)));
  BOBBIN_TRY(bench.open({"page views", Limit::memory}, PageData::kPages * sizeof(uint32_t), pages));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), PageData::kPages};
  return measure_streams(
      bench,
      [&]<assist::Policy kPolicy, class View>(const View& view) {
        return PageViewApp<View, kPolicy>{view, result};
      },
      pages);
}

Status measure_match(AppsBench& bench) {
  BOBBIN_ASSIGN(const auto text, bench.data<TextData>(bench.bytes()));
  BOBBIN_TRY(bench.open({"string match", Limit::incompressible}, sizeof(uint64_t), text));
  const Global<unsigned long long> result{bench.result().as<unsigned long long>(), 1};
  uint32_t pattern = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    pattern |= uint32_t{TextData::value(1000 + i)} << 8 * i;
  }
  return measure_streams(
      bench,
      [&]<assist::Policy kPolicy, class View>(const View& view) {
        return MatchApp<View, kPolicy>{view, pattern, result};
      },
      text);
}

}  // namespace

Status measure_counting(AppsBench& bench) {
  BOBBIN_TRY((measure_sum<MeterData, false>(bench, {"sum", Limit::memory})));
  BOBBIN_TRY((measure_sum<IdData, false>(bench, {"sum of ids", Limit::memory})));
  BOBBIN_TRY((measure_sum<MeterData, true>(bench, {"filter", Limit::memory})));
  BOBBIN_TRY((measure_sum<IdData, true>(bench, {"filter of ids", Limit::memory})));
  BOBBIN_TRY((measure_sum<HashData, false>(bench, {"sum of hashes", Limit::incompressible})));
  BOBBIN_TRY(measure_histogram(bench));
  BOBBIN_TRY(measure_page_views(bench));
  return measure_match(bench);
}

}  // namespace bobbin::bench
