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

// What a thread has added up. Up to 32 bits, 64 have room for all.
template <class T>
struct Adder {
  uint64_t total = 0;

  // A sum that is short of `each` for every one of `count` values.
  BOBBIN_HD void add(const WideSum& sum, T each, uint32_t count, bool is_signed) {
    const auto wide =
        is_signed ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(each)))
                  : uint64_t{each};
    total += sum.low + (sum.high << 32) + wide * count;
  }
  [[nodiscard]] BOBBIN_HD WideSum sum(bool is_signed) const {
    return {total & 0xffffffff,
            is_signed ? static_cast<uint64_t>(static_cast<int64_t>(total) >> 32) : total >> 32};
  }
};
template <>
struct Adder<uint64_t> {
  WideSum total;

  BOBBIN_HD void add(const WideSum& sum, uint64_t each, uint32_t count, bool is_signed) {
    WideSum one;
    add_to<uint64_t>(one, each, is_signed);
    total.low += sum.low + one.low * count;
    total.high += sum.high + one.high * count;
  }
  [[nodiscard]] BOBBIN_HD WideSum sum(bool /*is_signed*/) const { return total; }
};

template <class T, bool kReals>
struct ConjunctionKernel : Uses {
  static constexpr uint32_t kWarps = 8;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = sizeof(T) == 8 ? 3 : 5;
  static constexpr uint32_t kUses = kMaxTests + 1;
  using Record = UseRecord<T>;
  struct Shared {
    simt::Shared<Quad, kWarps * kGroup * kUses * Record::kQuads> uses;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps * group;
    const uint64_t vectors = num_vectors(end);
    const Global<const Quad> packed = view_as<Quad>(columns[steps[0].column].frames().packed);
    uint64_t count = 0;
    Adder<T> adder;
    for (uint64_t first = (uint64_t{cta.block()} * kWarps + cta.warp()) * group; first < vectors;
         first += stride) {
      cta.sync_warp();  // the group before is done with
      for_each_use(cta, first, [&](uint32_t u, uint32_t place, uint64_t v) {
        Record::store(cta, shared.uses, use_at(cta, u, place), work_out(cta, u, v));
      });
      cta.sync_warp();
      const auto here = static_cast<uint32_t>(vectors - first < group ? vectors - first : group);
      for (uint32_t place = 0; place < here; ++place) {
        if constexpr (!kReals) {
          if (together && sum_together(cta, shared, packed, place, count, adder)) {
            continue;
          }
        }
        run_vector(cta, shared, first + place, place, count, adder);
      }
    }
    add_total(cta, count, adder);
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t use_at(Cta& cta, uint32_t u, uint32_t place) {
    return ((cta.warp() * kUses + u) * kGroup + place) * Record::kQuads;
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Use read(Cta& cta, Shared& shared, uint32_t u, uint32_t place) {
    return Record::read(cta, shared.uses, use_at(cta, u, place));
  }

  // As make_use, but where test and sum go together the sum's tells whether they can.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Use work_out(Cta& cta, uint32_t u, uint64_t v) const {
    Use use = make_use<T>(cta, uses[u], v);
    if (together && u == 1) {
      const Use test = make_use<T>(cta, uses[0], v);
      const bool wraps = test.span > low_mask<uint64_t>(test.width) - test.low;
      const bool whole = v * kVectorLength >= begin;
      use.way = test.way == Use::Way::direct && !wraps && whole ? use.way : Use::Way::slow;
    }
    return use;
  }

  template <class Cta>
  BOBBIN_HD void run_vector(Cta& cta, Shared& shared, uint64_t v, uint32_t place, uint64_t& count,
                            Adder<T>& adder) const {
    const uint32_t inside = rows_inside(v, cta.lane(), begin, end);
    uint32_t rows = Spread<T>::exchange(cta, inside);
    for (uint32_t t = 0; t < num_steps && cta.any(rows != 0); ++t) {
      rows &= test(cta, t, read(cta, shared, t, place), inside);
    }
    if (bitmap.data != nullptr) {
      cta.store_once(bitmap, v * simt::kWarpSize + cta.lane(),
                     transpose(cta, Spread<T>::exchange(cta, rows)));
    }
    count += static_cast<uint32_t>(std::popcount(rows));
    if (num_uses != num_steps && cta.any(rows != 0)) {
      add_rows(cta, v, read(cta, shared, num_steps, place), rows, adder);
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
      hits = Spread<T>::exchange(cta, test_values<T, 1>(inside, step.range, step.is_float, [&](uint32_t r) {
                                   return value_at<T>(cta, column, use, r);
                                 }));
    }
    return step.negated ? ~hits : hits;
  }

  // The one test and the one sum, of the same column, at once; false when this vector does not go that way.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool sum_together(Cta& cta, Shared& shared, Global<const Quad> packed,
                                            uint32_t place, uint64_t& count, Adder<T>& adder) const {
    const Use summed = read(cta, shared, 1, place);
    if (summed.way != Use::Way::direct) {
      return false;
    }
    const Use tested = read(cta, shared, 0, place);
    const RangeSum found = sum_direct_range<T>(cta, packed, tested);
    count += found.count;
    adder.add(found.sum, static_cast<T>(summed.low + tested.low), found.count,
              columns[folds[0].column].is_signed);
    return true;
  }

  template <class Cta>
  BOBBIN_HD void add_rows(Cta& cta, uint64_t v, const Use& use, uint32_t rows, Adder<T>& adder) const {
    const Column& column = columns[folds[0].column];
    const bool direct = use.way == Use::Way::direct;
    if constexpr (kReals) {
      const double real = direct ? sum_direct_reals<T>(cta, column, use, rows)
                                 : sum_slow_reals<T>(cta, column, use, Spread<T>::exchange(cta, rows));
      if (cta.lane() == 0) {
        cta.store(reals, v, real);
      }
    } else if (direct) {
      adder.add(sum_direct<T>(cta, column, use, rows), static_cast<T>(use.low),
                static_cast<uint32_t>(std::popcount(rows)), column.is_signed);
    } else {
      const WideSum slow = sum_values<T, 1>(Spread<T>::exchange(cta, rows), column.is_signed,
                                            [&](uint32_t r) { return value_at<T>(cta, column, use, r); });
      adder.add(slow, T{0}, 0, column.is_signed);
    }
  }

  template <class Cta>
  BOBBIN_HD void add_total(Cta& cta, uint64_t count, const Adder<T>& adder) const {
    if (num_folds == 0) {
      return;
    }
    WideSum sum = adder.sum(folds[0].column != kNoColumn && columns[folds[0].column].is_signed);
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      count += cta.shfl_xor(count, distance);
      sum.low += cta.shfl_xor(sum.low, distance);
      sum.high += cta.shfl_xor(sum.high, distance);
    }
    if (cta.lane() == 0) {
      constexpr auto kRelaxed = simt::Order::relaxed;
      cta.template atomic_add<kRelaxed>(totals, TotalWords::count, count);
      cta.template atomic_add<kRelaxed>(totals, TotalWords::low, sum.low & 0xffffffff);
      cta.template atomic_add<kRelaxed>(totals, TotalWords::high, sum.high + (sum.low >> 32));
    }
  }
};

}  // namespace bobbin::plan
