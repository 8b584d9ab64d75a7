// SPDX-License-Identifier: Apache-2.0
// Kernels over any view (views.hpp) and any writer (writers.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "assist/packed.hpp"
#include "assist/stream.hpp"
#include "assist/views.hpp"
#include "assist/writers.hpp"

namespace bobbin::assist {

// The sum of all values, or the sum and count of those from `low` to `low + span`.
template <class View, bool kFilters, Policy kPolicy = kNoRoles>
struct SumKernel {
  using T = typename View::Value;
  using Reads = Stream<View, kPolicy>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  static constexpr uint32_t kMinBlocks = kPolicy.roles == Roles::none ? 4 : 2;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  // Per worker. The first group of a block waits for memory, which sums notice; for filters, which compute
  // more, an even distribution over SMs matters more.
  static constexpr uint32_t kGroups = kFilters && kPolicy.roles == Roles::none ? 8 : 32;

  struct Shared {
    typename Reads::Shared reads;
    simt::Shared<unsigned long long, kWarps> sums;
    simt::Shared<uint32_t, kWarps> counts;
  };

  View view;
  T low;
  T span;
  Global<unsigned long long> result;  // [0]: the sum, [1]: the count

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t first = uint64_t{cta.block()} * kBlockGroups;
    const uint64_t end = first + kBlockGroups < view.num_groups() ? first + kBlockGroups : view.num_groups();
    unsigned long long sum = 0;
    uint32_t count = 0;
    Reads::run(cta, shared.reads, view, first, end, packed<T>([&](uint64_t /*index*/, const auto& values) {
                 if constexpr (kFilters) {
                   const Hits hits = values.within(low, span);
                   sum += hits.sum;
                   count += hits.count;
                 } else {
                   sum += values.sum();
                 }
               }));
    if (!kFilters && cta.thread() == 0) {
      constexpr uint64_t kPerGroup = kGroupBytes / sizeof(T);
      const uint64_t last = end * kPerGroup < view.length() ? end * kPerGroup : view.length();
      count = static_cast<uint32_t>(last - first * kPerGroup);
    }
    add(cta, shared, sum, count);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kBlockGroups); }

 private:
  static constexpr uint64_t kBlockGroups = Reads::kWorkers * kGroups;

  // One addition to memory per block: those to one address take turns.
  template <class Cta>
  BOBBIN_HD void add(Cta& cta, Shared& shared, unsigned long long sum, uint32_t count) const {
    for (uint32_t distance = simt::kWarpSize / 2; distance != 0; distance /= 2) {
      sum += cta.shfl_xor(sum, distance);
    }
    count = cta.reduce_add(count);
    if (cta.lane() == 0) {
      cta.store(shared.sums, cta.warp(), sum);
      cta.store(shared.counts, cta.warp(), count);
    }
    cta.sync();
    if (cta.thread() == 0) {
      for (uint32_t w = 1; w < kWarps; ++w) {
        sum += cta.load(shared.sums, w);
        count += cta.load(shared.counts, w);
      }
      cta.template atomic_add<simt::Order::relaxed>(result, 0, sum);
      cta.template atomic_add<simt::Order::relaxed>(result, 1, static_cast<unsigned long long>(count));
    }
  }
};

// out[i] = the value at indices[i].
template <class View>
struct GatherKernel {
  using T = typename View::Value;
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  View view;
  Global<const uint32_t> indices;
  Global<T> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < indices.size) {
      cta.store(out, i, view.get(cta, cta.load(indices, i)));
    }
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(indices.size, kThreads); }
};

// Copies raw values to a writer (writers.hpp): this is how slots are made.
template <class Writer>
struct WriteKernel {
  using T = typename Writer::Value;
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kMinBlocks = 3;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;

  struct Shared {
    typename Writer::Shared warp[kWarps];
  };

  RawView<T> values;
  Writer writer;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t group = uint64_t{cta.block()} * kWarps + cta.warp();
    if (group < writer.num_groups()) {
      writer.write(cta, shared.warp[cta.warp()], group,
                   [&](uint64_t index, uint32_t /*count*/) { return values.quad_at(cta, index); });
    }
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(writer.num_groups(), kWarps); }
};

// Copies a view to raw values.
template <class View, Policy kPolicy = kNoRoles>
struct ReadKernel {
  using T = typename View::Value;
  using Reads = Stream<View, kPolicy>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  static constexpr uint64_t kBlockGroups = Reads::kWorkers * 8;

  struct Shared {
    typename Reads::Shared reads;
  };

  View view;
  Global<T> out;  // aligned to 16 bytes

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t first = uint64_t{cta.block()} * kBlockGroups;
    const uint64_t end = first + kBlockGroups < view.num_groups() ? first + kBlockGroups : view.num_groups();
    Reads::run(cta, shared.reads, view, first, end, [&](uint64_t index, const Quad& quad, uint32_t count) {
      store_values(cta, out, index, quad, count);
    });
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kBlockGroups); }
};

// values[indices[i]] = new_values[i], by partial writes.
template <class Writer>
struct PutKernel {
  using T = typename Writer::Value;
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;

  struct Shared {
    typename Writer::Shared warp[kWarps];
  };

  Writer writer;
  Global<const uint32_t> indices;
  Global<const T> new_values;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    const bool active = i < indices.size;
    writer.put(cta, shared.warp[cta.warp()], active ? cta.load(indices, i) : 0,
               active ? cta.load(new_values, i) : T{0}, active);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(indices.size, kThreads); }
};

}  // namespace bobbin::assist
