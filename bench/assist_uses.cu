// SPDX-License-Identifier: Apache-2.0
// Memoization and prefetching: for each a kernel that gains, and the same kernel on data for which the
// assistance stops by itself.
#include "assist/apps/data.hpp"
#include "assist/block_sum.hpp"
#include "assist/memo.hpp"
#include "assist/prefetch.hpp"
#include "bench/assist_apps.cuh"

namespace bobbin::bench {
namespace {

using assist::apps::draw;
using assist::apps::mix;

// The inverse of a number modulo the largest prime of 32 bits: 62 products, each with a remainder.
BOBBIN_HD uint32_t inverse_of(uint32_t x) {
  constexpr uint64_t kPrime = 4294967291;
  uint64_t result = 1;
  uint64_t square = x;
  BOBBIN_ROLL
  for (uint64_t exponent = kPrime - 2; exponent != 0; exponent /= 2) {
    result = exponent % 2 != 0 ? result * square % kPrime : result;
    square = square * square % kPrime;
  }
  return static_cast<uint32_t>(result);
}

template <bool kAssisted>
struct InverseKernel {
  using Table = assist::Memo<12>;
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kCalls = 256;  // per thread
  using Shared = std::conditional_t<kAssisted, Table::Shared, simt::NoShared>;

  Global<const uint32_t> inputs;  // a multiple of what blocks take
  Global<uint32_t> out;
  Global<uint32_t> totals;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t first = uint64_t{cta.block()} * kCalls * kThreads + cta.thread();
    if constexpr (kAssisted) {
      auto& table = cta.template shared<Shared>();
      Table::set_up(cta, table, kThreads);
      Table::Use use;
      for (uint32_t n = 0; n < kCalls; ++n) {
        const uint64_t i = first + uint64_t{n} * kThreads;
        cta.store(out, i, Table::call(cta, table, use, cta.load(inputs, i), inverse_of));
      }
      Table::report(cta, use, totals);
    } else {
      for (uint32_t n = 0; n < kCalls; ++n) {
        const uint64_t i = first + uint64_t{n} * kThreads;
        cta.store(out, i, inverse_of(cta.load(inputs, i)));
      }
    }
  }

  [[nodiscard]] uint64_t blocks() const { return inputs.size / (kCalls * kThreads); }
};

// A hash whose instructions wait for each other.
BOBBIN_HD uint32_t hash_of(uint32_t x) {
  BOBBIN_ROLL
  for (uint32_t i = 0; i < 8; ++i) {
    x = x * 1664525 + 1013904223;
    x ^= x >> 13;
  }
  return x;
}

// Counts gathered values by a hash. Each worker has counters of its own in shared memory, so that few warps
// are on an SM: too few to hide the latency of memory.
template <bool kAssisted>
struct CountGathered {
  static constexpr uint32_t kWorkers = 2;
  static constexpr uint32_t kBins = 24576;
  using Gather = assist::PrefetchedGather<kWorkers>;
  static constexpr uint32_t kThreads = kAssisted ? Gather::kThreads : kWorkers * simt::kWarpSize;
  static constexpr uint64_t kItems = uint64_t{1} << 16;  // per block

  struct Shared {
    Gather::Shared gather;
    assist::BlockCounts<kBins, kWorkers> counts;
  };

  Global<const uint32_t> indices;
  Global<const uint32_t> values;
  Global<uint32_t> out;  // one per bin
  Global<uint32_t> totals;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    shared.counts.set_up(cta, kThreads);
    const uint64_t first = cta.block() * kItems;
    const uint64_t end = first + kItems < indices.size ? first + kItems : indices.size;
    const auto count = [&](uint64_t /*i*/, uint32_t value) {
      shared.counts.count(cta, hash_of(value) % kBins, cta.warp());
    };
    if constexpr (kAssisted) {
      Gather::run(cta, shared.gather, indices, values, first, end, totals, count);
    } else {
      for (uint64_t i = first + cta.thread(); i < end; i += kThreads) {
        count(i, cta.load(values, cta.load(indices, i)));
      }
    }
    shared.counts.report(cta, kThreads, out);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(indices.size, kItems); }
};

struct FewInputs {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return 1 + draw(i, 1000); }
};
struct ManyInputs {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return static_cast<uint32_t>(mix(i)); }
};
constexpr uint32_t kNumValues = uint32_t{1} << 28;
struct FarIndices {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return draw(i, kNumValues); }
};
struct NearIndices {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return static_cast<uint32_t>(i); }
};

template <class Data>
Result<DeviceBuffer> make_values(AppsBench& bench, uint64_t length) {
  using T = typename Data::Value;
  BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(length * sizeof(T), bench.stream()));
  const uint64_t blocks = ceil_div<uint64_t>(length, FillData<Data>::kThreads);
  BOBBIN_TRY(bench.executor().run(FillData<Data>{{buffer.as<T>(), length}}, blocks));
  return Result<DeviceBuffer>(std::move(buffer));
}

// What the assistance counted in one run.
template <class K>
Result<std::vector<uint32_t>> count(AppsBench& bench, const K& kernel) {
  std::vector<uint32_t> totals(kernel.totals.size);
  BOBBIN_TRY(fill_async(kernel.totals.data, 0, totals.size() * sizeof(uint32_t), bench.stream()));
  BOBBIN_TRY(bench.executor().run(kernel, kernel.blocks()));
  BOBBIN_TRY(copy_async(totals.data(), kernel.totals.data, totals.size() * sizeof(uint32_t), bench.stream()));
  BOBBIN_TRY(bench.stream().synchronize());
  return totals;
}

template <class Data>
Status measure_memo(AppsBench& bench, const std::string& name) {
  constexpr uint64_t kInputs = uint64_t{1} << 27;
  BOBBIN_ASSIGN(const DeviceBuffer inputs, make_values<Data>(bench, kInputs));
  BOBBIN_ASSIGN(const DeviceBuffer totals, DeviceBuffer::create(4 * sizeof(uint32_t), bench.stream()));
  BOBBIN_TRY(bench.open({name, Limit::compute}, kInputs * sizeof(uint32_t)));
  const Global<const uint32_t> in{inputs.as<uint32_t>(), kInputs};
  const Global<uint32_t> out{bench.result().as<uint32_t>(), kInputs};
  BOBBIN_TRY(bench.measure("raw", InverseKernel<false>{in, out, {totals.as<uint32_t>(), 4}}));
  const InverseKernel<true> kernel{in, out, {totals.as<uint32_t>(), 4}};
  BOBBIN_ASSIGN(const std::vector<uint32_t> counts, count(bench, kernel));
  bench.note(number(100.0 * counts[1] / counts[0], 1) + " % of " + std::to_string(counts[0]) +
             " lookups hit; " + std::to_string(counts[3]) + " of " +
             std::to_string(kernel.blocks() * kernel.kThreads / simt::kWarpSize) + " warps stopped");
  return bench.measure("memoized", kernel);
}

template <class Data>
Status measure_prefetch(AppsBench& bench, const std::string& name) {
  constexpr uint64_t kIndices = uint64_t{1} << 26;
  BOBBIN_ASSIGN(const DeviceBuffer indices, make_values<Data>(bench, kIndices));
  BOBBIN_ASSIGN(const DeviceBuffer values, make_values<ManyInputs>(bench, kNumValues));
  BOBBIN_ASSIGN(const DeviceBuffer totals, DeviceBuffer::create(2 * sizeof(uint32_t), bench.stream()));
  constexpr uint32_t kBins = CountGathered<true>::kBins;
  BOBBIN_TRY(bench.open({name, Limit::memory}, kBins * sizeof(uint32_t)));
  const Global<const uint32_t> from{indices.as<uint32_t>(), kIndices};
  const Global<const uint32_t> all{values.as<uint32_t>(), kNumValues};
  const Global<uint32_t> out{bench.result().as<uint32_t>(), kBins};
  BOBBIN_TRY(bench.measure("raw", CountGathered<false>{from, all, out, {totals.as<uint32_t>(), 2}}));
  const CountGathered<true> kernel{from, all, out, {totals.as<uint32_t>(), 2}};
  BOBBIN_ASSIGN(const std::vector<uint32_t> counts, count(bench, kernel));
  bench.note(number(100.0 * counts[0] / static_cast<double>(kIndices), 1) + " % of the values prefetched; " +
             std::to_string(counts[1]) + " of " + std::to_string(kernel.blocks()) + " blocks stopped");
  return bench.measure("prefetched", kernel);
}

}  // namespace

Status measure_uses(AppsBench& bench) {
  BOBBIN_TRY(measure_memo<FewInputs>(bench, "inverses of 1000 numbers"));
  BOBBIN_TRY(measure_memo<ManyInputs>(bench, "inverses of any numbers"));
  BOBBIN_TRY(measure_prefetch<FarIndices>(bench, "gather, any order"));
  return measure_prefetch<NearIndices>(bench, "gather, in order");
}

}  // namespace bobbin::bench
