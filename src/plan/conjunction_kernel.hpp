// SPDX-License-Identifier: Apache-2.0
// The most common query, composed for one type: rows that satisfy all of a few tests are counted, and one
// column is summed over them. All columns are packed, of one size, without patches and nulls: row bits stay
// in the order in which threads produce them, totals are in registers, and no program is interpreted. All
// other queries use QueryKernel.
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
  static constexpr uint32_t kMaxJoined = kReals && sizeof(T) == 8 ? WideScaling::kMaxWidth : kBits<T>;
  using Record = UseRecord<T>;
  struct Shared {
    simt::Shared<Quad, kThreads * Record::kQuads> uses;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const Global<const Quad> packed = view_as<Quad>(columns[steps[0].column].frames().packed);
    uint64_t count = 0;
    Adder<T> adder;
    // All blocks have the same number of consecutive vectors, which their warps take in turn.
    const uint64_t vectors = num_vectors(end);
    const uint64_t last = vectors * (uint64_t{cta.block()} + 1) / cta.num_blocks();
    const uint32_t group_bits = bits_of_group();
    for (uint64_t first = vectors * cta.block() / cta.num_blocks() + cta.warp(); first < last;
         first += uint64_t{kWarps} << group_bits) {
      const uint64_t left = ceil_div<uint64_t>(last - first, kWarps);
      const uint32_t here = left < 1U << group_bits ? static_cast<uint32_t>(left) : 1U << group_bits;
      cta.sync_warp();  // the previous group is no longer in use
      const uint32_t u = cta.lane() >> group_bits;
      const uint32_t place = cta.lane() & low_mask<uint32_t>(group_bits);
      if (u < num_uses && place < here) {
        Record::store(cta, shared.uses, use_at(cta, u, place), work_out(cta, u, first + place * kWarps));
      }
      cta.sync_warp();
      for (uint32_t at = 0; at < here;) {
        const uint32_t done = together ? sum_run(cta, shared, packed, first, at, here, count, adder) : 0;
        if (done == 0) {
          run_vector(cta, shared, first + at * kWarps, at, count, adder);
        }
        at += done == 0 ? 1 : done;
      }
    }
    const bool is_signed =
        num_folds != 0 && folds[0].column != kNoColumn && columns[folds[0].column].is_signed;
    add_totals(cta, count, adder.sum(is_signed));
  }

 private:
  // A warp prepares all uses of as many vectors at a time as it has lanes for: 2 to the power of this.
  [[nodiscard]] BOBBIN_HD uint32_t bits_of_group() const {
    static_assert(kUses <= 4);
    return num_uses <= 1 ? 5 : num_uses == 2 ? 4 : 3;
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t use_at(Cta& cta, uint32_t u, uint32_t place) const {
    return (cta.warp() * simt::kWarpSize + (u << bits_of_group()) + place) * Record::kQuads;
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Use read(Cta& cta, Shared& shared, uint32_t u, uint32_t place) const {
    return Record::read(cta, shared.uses, use_at(cta, u, place));
  }

  // Like make_use, but if test and sum are combined, that of the sum says whether this is possible.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Use work_out(Cta& cta, uint32_t u, uint64_t v) const {
    if (!together) {
      return make_use<T>(cta, uses[u], v);
    }
    // Executed by all lanes at once, although half of them need the other.
    const Use test = as_range(make_use<T>(cta, uses[0], v));
    if (u == 0) {
      return test;
    }
    Use sum = make_use<T>(cta, uses[1], v);
    const bool wraps = test.span > low_mask<uint64_t>(test.width) - test.low;
    const bool whole = v * kVectorLength >= begin;
    if (sum.way == Use::Way::direct && test.way == Use::Way::direct && !wraps && whole) {
      sum.way = Use::Way::joined;
    }
    return sum;
  }
  // A test that all packed values satisfy, as a range of all values.
  [[nodiscard]] BOBBIN_HD static Use as_range(Use test) {
    if (test.way == Use::Way::all && test.width != 0) {
      test.low = 0;
      test.span = low_mask<uint64_t>(test.width);
      test.way = Use::Way::direct;
    }
    return test;
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
    const ColumnPlan& column = columns[step.column];
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

  // Combines the only test and the only sum, of the same column, for vectors of one width starting at
  // `place`. Returns the number of vectors; 0 if the first one cannot be processed this way.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t sum_run(Cta& cta, Shared& shared, Global<const Quad> packed,
                                           uint64_t first, uint32_t place, uint32_t here, uint64_t& count,
                                           Adder<T>& adder) const {
    Use sum = read(cta, shared, 1, place);
    if (sum.way != Use::Way::joined) {
      return 0;
    }
    const uint32_t begin_place = place;
    codec::bitpack::with_width_in<1, kMaxJoined>(
        sum.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
          do {
            const Use test = read(cta, shared, 0, place);
            Lane<T, W> lane;
            lane.load(cta, packed, sum.first_register);
            count += sum_joined(cta, lane, test, sum, first + place * kWarps, adder);
            if (++place < here) {
              sum = read(cta, shared, 1, place);
            }
          } while (place < here && sum.way == Use::Way::joined && sum.width == W);
        });
    return place - begin_place;
  }

  // Returns the number of matching rows.
  template <uint32_t W, class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t sum_joined(Cta& cta, const Lane<T, W>& lane, const Use& test,
                                              const Use& sum, uint64_t v, Adder<T>& adder) const {
    if constexpr (kReals) {
      uint32_t count = 0;
      const double real = sum_reals_in_range<T>(cta, lane, test, sum, count);
      if (cta.lane() == 0) {
        cta.store(reals, v, real);
      }
      return count;
    } else {
      const RangeSum found = sum_in_range<T, W>(lane, test.low, test.span);
      adder.add(found.sum, static_cast<T>(sum.low + test.low), found.count,
                columns[folds[0].column].is_signed);
      return found.count;
    }
  }

  template <class Cta>
  BOBBIN_HD void add_rows(Cta& cta, uint64_t v, const Use& use, uint32_t rows, Adder<T>& adder) const {
    const ColumnPlan& column = columns[folds[0].column];
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
};

}  // namespace bobbin::plan
