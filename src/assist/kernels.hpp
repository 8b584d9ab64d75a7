// SPDX-License-Identifier: Apache-2.0
// Kernels over any view (views.hpp), and those that make slots.
#pragma once

#include <cstdint>
#include <type_traits>

#include "assist/views.hpp"
#include "codecs/line/tile.hpp"

namespace bobbin::assist {

// The sum of all values, or the sum and count of those from `low` to `low + span`.
template <class View, bool kFilters>
struct SumKernel {
  using T = typename View::Value;
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kMinBlocks = 4;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kGroups = 8;  // per warp

  struct Shared {
    typename View::Shared warp[kWarps];
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
    const uint64_t first = (uint64_t{cta.block()} * kWarps + cta.warp()) * kGroups;
    unsigned long long sum = 0;
    uint32_t count = 0;
    for (uint64_t group = first; group < first + kGroups && group < view.num_groups(); ++group) {
      view.read(cta, shared.warp[cta.warp()], group,
                [&](uint64_t /*index*/, const Quad& quad, uint32_t valid) {
                  BOBBIN_UNROLL
                  for (uint32_t i = 0; i < kPerQuad<T>; ++i) {
                    const T x = simt::value_of_quad<T>(quad, i);
                    const bool hit = i < valid && (!kFilters || static_cast<T>(x - low) <= span);
                    sum += hit ? x : T{0};
                    count += hit ? 1 : 0;
                  }
                });
    }
    add(cta, shared, sum, count);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kWarps * kGroups); }

 private:
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

// Makes slots of raw values; values past the end are zeros.
template <class T>
struct FillSlotsKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWords = kLineBytes / 4;
  static constexpr uint32_t kPerWord = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  using Shared = simt::NoShared;

  RawView<T> values;
  Global<uint8_t> codes;
  Global<uint32_t> slots;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t number = uint64_t{cta.block()} * kThreads + cta.thread();
    if (number >= codes.size) {
      return;
    }
    codec::line::Line<kWords> line{};
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kLineBytes / sizeof(T); ++i) {
      const uint64_t index = number * (kLineBytes / sizeof(T)) + i;
      const T value = index < values.values.size ? cta.load(values.values, index) : T{0};
      put(line, i, value);
    }
    const codec::line::Plan plan = codec::line::choose(line);
    cta.store(codes, number, static_cast<uint8_t>(plan.code));
    codec::line::write_image(line, plan,
                             [&](uint32_t i, uint32_t word) { cta.store(slots, number * kWords + i, word); });
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(codes.size, kThreads); }

 private:
  BOBBIN_HD static void put(codec::line::Line<kWords>& line, uint32_t i, T value) {
    if constexpr (sizeof(T) == 8) {
      line.word[2 * i] = static_cast<uint32_t>(value);
      line.word[2 * i + 1] = static_cast<uint32_t>(value >> 32);
    } else {
      line.word[i / kPerWord] |= static_cast<uint32_t>(value) << i % kPerWord * 8 * sizeof(T);
    }
  }
};

}  // namespace bobbin::assist
