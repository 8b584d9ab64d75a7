// SPDX-License-Identifier: Apache-2.0
// The commonest query, composed for one type: rows that pass all of a few tests are counted, and one column
// summed over them. All columns are packed, of one size, without patches and nulls: bits of rows stay in the
// order in which threads find them, totals in registers, and there is no program to look at. The kernel for
// all other queries is QueryKernel.
#pragma once

#include <bit>
#include <cstdint>

#include "plan/strided.hpp"
#include "plan/uses.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

inline constexpr uint32_t kMaxTests = 3;

template <class T, bool kReals>
struct ConjunctionKernel : Uses {
  static constexpr uint32_t kWarps = 8;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = sizeof(T) == 8 ? 3 : 5;
  static constexpr uint32_t kUses = kMaxTests + 1;
  struct Shared {
    simt::Shared<uint64_t, kWarps * kGroup * kUses * Use::kWords> uses;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps * group;
    const uint64_t vectors = num_vectors(end);
    uint64_t count = 0;
    WideSum sum;
    for (uint64_t first = (uint64_t{cta.block()} * kWarps + cta.warp()) * group; first < vectors;
         first += stride) {
      cta.sync_warp();  // the group before is done with
      for_each_use(cta, first, [&](uint32_t u, uint32_t place, uint64_t v) {
        store_use(cta, shared.uses, use_at(cta, u, place), make_use<T>(cta, uses[u], v));
      });
      cta.sync_warp();
      const uint64_t left = vectors - first;
      for (uint32_t place = 0; place < (group < left ? group : left); ++place) {
        run_vector(cta, shared, first + place, place, count, sum);
      }
    }
    add_total(cta, count, sum);
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t use_at(Cta& cta, uint32_t u, uint32_t place) {
    return ((cta.warp() * kUses + u) * kGroup + place) * Use::kWords;
  }

  template <class Cta>
  BOBBIN_HD void run_vector(Cta& cta, Shared& shared, uint64_t v, uint32_t place, uint64_t& count,
                            WideSum& sum) const {
    if constexpr (!kReals) {
      if (together && sum_together(cta, shared, v, place, count, sum)) {
        return;
      }
    }
    const uint32_t inside = rows_inside(v, cta.lane(), begin, end);
    uint32_t rows = Spread<T>::exchange(cta, inside);
    for (uint32_t t = 0; t < num_steps && cta.any(rows != 0); ++t) {
      rows &= test(cta, t, read_use(cta, shared.uses, use_at(cta, t, place)), inside);
    }
    if (bitmap.data != nullptr) {
      cta.store_once(bitmap, v * simt::kWarpSize + cta.lane(),
                     transpose(cta, Spread<T>::exchange(cta, rows)));
    }
    count += static_cast<uint32_t>(std::popcount(rows));
    if (num_uses != num_steps && cta.any(rows != 0)) {
      add_rows(cta, v, read_use(cta, shared.uses, use_at(cta, num_steps, place)), rows, sum);
    }
  }

  // Bits in the thread's order.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t test(Cta& cta, uint32_t t, const Use& use, uint32_t inside) const {
    const Step& step = steps[t];
    const Column& column = columns[step.column];
    uint32_t hits = use.way == Use::Way::all ? ~uint32_t{0} : 0;
    if (use.way == Use::Way::direct) {
      hits = test_direct<T>(cta, column, use);
    } else if (use.way == Use::Way::slow) {
      hits = Spread<T>::exchange(cta, test_values<T, 1>(inside, step.range, column.is_float, [&](uint32_t r) {
                                   return value_at<T>(cta, column, use, r);
                                 }));
    }
    return step.negated ? ~hits : hits;
  }

  // The one test and the one sum, of the same column, at once; false when this vector does not go that way.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool sum_together(Cta& cta, Shared& shared, uint64_t v, uint32_t place,
                                            uint64_t& count, WideSum& sum) const {
    const Column& column = columns[folds[0].column];
    const Use tested = read_use(cta, shared.uses, use_at(cta, 0, place));
    const Use summed = read_use(cta, shared.uses, use_at(cta, 1, place));
    const bool wraps = tested.span > low_mask<uint64_t>(tested.width) - tested.low;
    if (tested.way != Use::Way::direct || summed.way != Use::Way::direct || wraps ||
        v * kVectorLength < begin) {
      return false;
    }
    const RangeSum found = sum_direct_range<T>(cta, column, tested);
    count += found.count;
    add(sum, column, found.sum, static_cast<T>(summed.low + tested.low), found.count);
    return true;
  }

  // Adds a sum that is short of `each` for every one of `count` values.
  BOBBIN_HD static void add(WideSum& to, const Column& column, const WideSum& sum, T each, uint32_t count) {
    WideSum one;
    add_to<T>(one, each, column.is_signed);
    to.low += sum.low + one.low * count;
    to.high += sum.high + one.high * count;
  }

  template <class Cta>
  BOBBIN_HD void add_rows(Cta& cta, uint64_t v, const Use& use, uint32_t rows, WideSum& sum) const {
    const Column& column = columns[folds[0].column];
    const bool direct = use.way == Use::Way::direct;
    if constexpr (kReals) {
      const double real = direct ? sum_direct_reals<T>(cta, column, use, rows)
                                 : sum_slow_reals<T>(cta, column, use, Spread<T>::exchange(cta, rows));
      if (cta.lane() == 0) {
        cta.store(reals, v, real);
      }
    } else if (direct) {
      const auto count = static_cast<uint32_t>(std::popcount(rows));
      add(sum, column, sum_direct<T>(cta, column, use, rows), static_cast<T>(use.low), count);
    } else {
      const WideSum slow = sum_values<T, 1>(Spread<T>::exchange(cta, rows), column.is_signed,
                                            [&](uint32_t r) { return value_at<T>(cta, column, use, r); });
      add(sum, column, slow, T{0}, 0);
    }
  }

  template <class Cta>
  BOBBIN_HD void add_total(Cta& cta, uint64_t count, WideSum sum) const {
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      count += cta.shfl_xor(count, distance);
      sum.low += cta.shfl_xor(sum.low, distance);
      sum.high += cta.shfl_xor(sum.high, distance);
    }
    if (cta.lane() == 0 && num_folds != 0) {
      constexpr auto kRelaxed = simt::Order::relaxed;
      cta.template atomic_add<kRelaxed>(totals, TotalWords::count, count);
      cta.template atomic_add<kRelaxed>(totals, TotalWords::low, sum.low & 0xffffffff);
      cta.template atomic_add<kRelaxed>(totals, TotalWords::high, sum.high + (sum.low >> 32));
    }
  }
};

}  // namespace bobbin::plan
