// SPDX-License-Identifier: Apache-2.0
// One launch for a whole query: tests of several columns, combined by and and or, then a bitmap of the
// matching rows, or folds of several columns over them. No value is written to memory.
//
// Shape: a warp processes a vector of 1024 rows, all columns of it, and then the next vector not taken by
// another warp; each lane keeps one word of 32 rows (strided.hpp). The work is described by a short program;
// each of its steps processes 1024 rows, so interpreting it costs almost nothing. Bytes read: those of the
// columns, for vectors that still have rows when a column is needed.
#pragma once

#include <bit>
#include <cstdint>

#include "plan/codes.hpp"
#include "plan/column_input.hpp"
#include "plan/packed.hpp"
#include "plan/query_input.hpp"
#include "plan/stage.hpp"
#include "plan/strided.hpp"
#include "plan/uses.hpp"
#include "plan/values.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

template <KernelVariant kVariant>
struct QueryKernel : Uses {
  static constexpr uint32_t kWarps = 4;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = kVariant == KernelVariant::narrow ? 8
                                         : kVariant == KernelVariant::wide ? 6
                                                                           : 4;
  static constexpr bool kStaged = kVariant == KernelVariant::staged;
  static constexpr bool kWide = kVariant != KernelVariant::narrow;
  static constexpr uint32_t kAtOnce = 8;  // loads of plain values in flight
  using Record = UseRecord<std::conditional_t<kWide, uint64_t, uint32_t>>;
  struct NoStaging {};

  struct Shared {
    simt::Shared<uint32_t, kThreads * kMaxDepth> stack;
    simt::Shared<uint32_t, kThreads> touched;  // rows that have patches
    simt::Shared<uint32_t, kThreads> words;    // of patches: matches, or the selected rows
    simt::Shared<uint32_t, kThreads * kMaxFolds> counts;
    simt::Shared<uint64_t, kThreads * kMaxFolds> first;   // sums: the low part; min and max: the minimum
    simt::Shared<uint64_t, kThreads * kMaxFolds> second;  // the high part; the maximum
    simt::Shared<Quad, kWarps * kGroup * kMaxUses * Record::kQuads> uses;
    std::conditional_t<kStaged, Staging<kWarps>, NoStaging> staging;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    for (uint32_t f = 0; f < num_folds; ++f) {
      cta.store(shared.counts, at(cta, f), 0U);
      cta.store(shared.first, at(cta, f), folds[f].op == Fold::extremes ? Extremes{}.least : 0);
      cta.store(shared.second, at(cta, f), uint64_t{0});
    }
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps * group;
    const uint64_t vectors = num_vectors(end);
    for (uint64_t first = (uint64_t{cta.block()} * kWarps + cta.warp()) * group; first < vectors;
         first += stride) {
      work_out(cta, shared, first);
      for (uint64_t v = first; v < first + group && v < vectors; ++v) {
        run_vector(cta, shared, v);
      }
    }
    for (uint32_t f = 0; f < num_folds; ++f) {
      add_total(cta, shared, f);
    }
  }

 private:
  // The program's steps, then the folds. The top of the stack is in a register. Columns are decoded in only
  // one place, because that is most of the kernel's code.
  template <class Cta>
  BOBBIN_HD void run_vector(Cta& cta, Shared& shared, uint64_t v) const {
    const uint32_t rows = rows_inside(v, cta.lane(), begin, end);
    uint32_t top = rows;
    uint32_t depth = 0;           // words on the stack below `top`
    uint32_t staged = kNoColumn;  // the column in shared memory
    for (uint32_t s = 0; s < num_steps + num_folds; ++s) {
      if (s == num_steps) {
        store_bitmap(cta, v, top);
      }
      if (s >= num_steps && !cta.any(top != 0)) {
        return;
      }
      stage(cta, shared, v, s, staged);
      uint32_t hits = 0;
      if (look_up(cta, shared, v, s, s < num_steps ? rows : top, hits)) {
        continue;
      }
      if (s < num_steps) {
        s = run_step(cta, shared, v, s, rows, hits, top, depth);
      } else {
        fold(cta, shared, v, s - num_steps, top);
      }
    }
    if (num_folds == 0) {
      store_bitmap(cta, v, top);
    }
  }

  // One step; returns the number of the last step that is finished. `hits` is what look_up() has found.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t run_step(Cta& cta, Shared& shared, uint64_t v, uint32_t s, uint32_t rows,
                                            uint32_t hits, uint32_t& top, uint32_t& depth) const {
    const Step& step = steps[s];
    switch (step.op) {
      case StepOp::test:
      case StepOp::is_null:
        if (depth != 0) {
          cta.store(shared.stack, at(cta, depth), top);
        }
        ++depth;
        top = rows & (step.op == StepOp::test ? test(cta, shared, s, v, rows, hits) : nulls(cta, step, v));
        break;
      case StepOp::both:
        top &= cta.load(shared.stack, at(cta, --depth));
        break;
      case StepOp::either:
        top |= cta.load(shared.stack, at(cta, --depth));
        break;
      case StepOp::compare:  // compiled kernels alone have these
        break;
      case StepOp::skip_if_none:
        return cta.any(top != 0) ? s : step.target;
    }
    return s;
  }

  template <class Cta>
  BOBBIN_HD void store_bitmap(Cta& cta, uint64_t v, uint32_t rows) const {
    if (bitmap.data != nullptr) {
      cta.store_once(bitmap, v * simt::kWarpSize + cta.lane(), transpose(cta, rows));
    }
  }

  // Decodes a staged column's vector to shared memory before a step reads its values, unless it is there
  // already.
  template <class Cta>
  BOBBIN_HD void stage(Cta& cta, Shared& shared, uint64_t v, uint32_t s, uint32_t& staged) const {
    if constexpr (kStaged) {
      const bool tests = s < num_steps && steps[s].op == StepOp::test;
      const bool sums = s >= num_steps && folds[s - num_steps].op != Fold::count;
      const uint32_t column = tests ? steps[s].column : sums ? folds[s - num_steps].column : kNoColumn;
      if (column != kNoColumn && column != staged && columns[column].form == ColumnForm::staged) {
        cta.sync_warp();  // the previous one is no longer in use
        Stager<Cta, kWarps>{cta, shared.staging, powers, v, rows_of(v)}.decode(columns[column]);
        staged = column;
      }
    }
  }

  // The only place that moves codes to registers: for a fold of dictionary entries, which is then done
  // (true), or for a test of codes that do not form a range.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool look_up(Cta& cta, Shared& shared, uint64_t v, uint32_t s, uint32_t rows,
                                       uint32_t& hits) const {
    if constexpr (kWide) {
      const bool tests = s < num_steps;
      const uint32_t f = s - num_steps;
      const uint32_t c = tests ? steps[s].column : folds[f].column;
      const bool wanted = tests ? steps[s].op == StepOp::test && steps[s].table.data != nullptr
                                : folds[f].op != Fold::count && columns[c].looks_up();
      if (wanted && columns[c].form == ColumnForm::packed) {
        const UseSpec spec{static_cast<uint8_t>(c), static_cast<uint8_t>(s), tests};
        const Use use = with_type<false>(columns[c].packed_bytes(), [&](auto zero) {
          return use_of<decltype(zero)>(cta, shared, tests ? steps[s].use : folds[f].use, spec, v);
        });
        const Codes codes =
            Codes::of(cta, columns[c], use.first_register, use.width, static_cast<uint32_t>(use.low));
        if (!tests) {
          fold_entries(cta, shared, columns[c], v, f, rows, codes);
          return true;
        }
        hits = codes.test(cta, rows, [&](Cta& same, uint32_t code) { return passes(same, steps[s], code); });
      }
    }
    return false;
  }

  template <class Cta>
  BOBBIN_HD void work_out(Cta& cta, Shared& shared, uint64_t first) const {
    cta.sync_warp();  // the previous group is no longer in use
    for_each_use(cta, first, [&](uint32_t u, uint32_t place, uint64_t v) {
      const Use use = with_type<kWide>(columns[uses[u].column].packed_bytes(),
                                       [&](auto zero) { return make_use<decltype(zero)>(cta, uses[u], v); });
      Record::store(cta, shared.uses, use_at(cta, u, place), use);
    });
    cta.sync_warp();
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t use_at(Cta& cta, uint32_t u, uint32_t place) {
    return ((cta.warp() * kMaxUses + u) * kGroup + place) * Record::kQuads;
  }
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD Use use_of(Cta& cta, Shared& shared, uint32_t u, const UseSpec& spec,
                                     uint64_t v) const {
    return u == kNoUse ? make_use<T>(cta, spec, v)
                       : Record::read(cta, shared.uses, use_at(cta, u, static_cast<uint32_t>(v % group)));
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t at(Cta& cta, uint32_t row) {
    return row * kThreads + cta.thread();
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t nulls(Cta& cta, const Step& step, uint64_t v) const {
    const uint32_t valid = valid_rows(cta, columns[step.column].validity, v);
    return step.negated ? valid : ~valid;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t test(Cta& cta, Shared& shared, uint32_t s, uint64_t v, uint32_t rows,
                                        uint32_t found) const {
    const Step& step = steps[s];
    const ColumnPlan& column = columns[step.column];
    const uint32_t valid = valid_rows(cta, column.validity, v);
    if (column.form == ColumnForm::bitmap) {
      return step.negated ? ~valid : valid;
    }
    const uint32_t hits = with_type<kWide>(column.tested_bytes(), [&](auto zero) {
      return test_as<decltype(zero)>(cta, shared, s, v, rows, found);
    });
    return (step.negated ? ~hits : hits) & valid;
  }

  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t test_as(Cta& cta, Shared& shared, uint32_t s, uint64_t v, uint32_t rows,
                                           uint32_t found) const {
    const Step& step = steps[s];
    const ColumnPlan& column = columns[step.column];
    if (column.form == ColumnForm::packed) {
      return test_packed<T>(cta, shared, s, v, rows, found);
    }
    uint32_t hits = 0;
    with_values<T>(cta, shared, column, v, [&](auto&& get) {
      if constexpr (kWide) {
        if (step.table.data != nullptr) {
          hits = test_table(cta, step, rows, get);
          return;
        }
      }
      hits = test_values<T, kAtOnce>(rows, step.range, step.is_float, get);
    });
    return hits;
  }

  // Whether a single value matches.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD static bool passes(Cta& cta, const Step& step, T value) {
    if constexpr (kWide) {
      if (step.table.data != nullptr) {
        const auto code = static_cast<uint64_t>(value < step.last ? value : step.last);
        return (cta.load(step.table, code / 32) >> (code % 32) & 1) != 0;
      }
    }
    return step.range.template holds<T>(value, step.is_float);
  }
  template <class Cta, class Get>
  [[nodiscard]] BOBBIN_HD static uint32_t test_table(Cta& cta, const Step& step, uint32_t rows, Get&& get) {
    uint32_t hits = 0;
    for (uint32_t r = 0; r < 32; ++r) {
      hits |= (rows >> r & 1) != 0 && passes(cta, step, get(r)) ? 1U << r : 0;
    }
    return hits;
  }

  // Calls f with a function that returns the thread's values: from a column in memory, or from a staged one.
  template <class T, class Cta, class F>
  BOBBIN_HD void with_values(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, F&& f) const {
    if constexpr (kStaged) {
      if (column.form == ColumnForm::staged) {
        auto& values = shared.staging.template as<T>();
        const uint32_t first = shared.staging.template first<T>(cta.warp()) + cta.lane();
        f([&](uint32_t r) { return cta.load(values, first + r * simt::kWarpSize); });
        return;
      }
    }
    const auto values = view_as<T>(column.nodes[0].extra);
    const uint64_t first = v * kVectorLength + cta.lane() - begin;  // begin: where the values start
    f([&](uint32_t r) { return cta.load_once(values, first + r * simt::kWarpSize); });
  }

  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t test_packed(Cta& cta, Shared& shared, uint32_t s, uint64_t v,
                                               uint32_t rows, uint32_t found) const {
    const Step& step = steps[s];
    const ColumnPlan& column = columns[step.column];
    const Use use = use_of<T>(cta, shared, step.use, {step.column, static_cast<uint8_t>(s), true}, v);
    uint32_t hits = use.way == Use::Way::all ? ~uint32_t{0} : 0;
    if (use.way == Use::Way::direct) {
      hits = Spread<T>::exchange(cta, test_direct<T>(cta, column, use));
    } else if (use.way == Use::Way::slow) {
      hits = step.table.data != nullptr ? found
                                        : test_values<T, 1>(rows, step.range, step.is_float, [&](uint32_t r) {
                                            return value_at<T>(cta, column, use, r);
                                          });
    }
    return column.has_patches() ? test_patches<T>(cta, shared, column, step, v, hits) : hits;
  }

  template <class Cta>
  BOBBIN_HD static void add_count(Cta& cta, Shared& shared, uint32_t f, uint32_t count) {
    cta.store(shared.counts, at(cta, f), cta.load(shared.counts, at(cta, f)) + count);
  }
  // `count` values, with `each` subtracted from each of them in the sum.
  template <class T, class Cta>
  BOBBIN_HD void add_sum(Cta& cta, Shared& shared, uint32_t f, const ColumnPlan& column, uint32_t count,
                         const WideSum& sum, T each) const {
    WideSum one;
    add_to<T>(one, each, column.is_signed);
    cta.store(shared.first, at(cta, f), cta.load(shared.first, at(cta, f)) + sum.low + one.low * count);
    cta.store(shared.second, at(cta, f), cta.load(shared.second, at(cta, f)) + sum.high + one.high * count);
  }

  // Patches are tested individually.
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t test_patches(Cta& cta, Shared& shared, const ColumnPlan& column,
                                                const Step& step, uint64_t v, uint32_t hits) const {
    const auto patches = column.patches().typed<T>();
    const auto run = patches.run(cta, v, cta.lane(), simt::kWarpSize);
    cta.store(shared.touched, cta.thread(), 0U);
    cta.store(shared.words, cta.thread(), 0U);
    cta.sync_warp();
    const uint32_t first = cta.warp() * simt::kWarpSize;
    patches.apply(cta, run, [&](uint32_t i, T value) {
      const uint32_t bit = 1U << (i / simt::kWarpSize);
      const uint32_t lane = first + i % simt::kWarpSize;
      cta.template atomic_or<simt::Order::relaxed>(shared.touched, lane, bit);
      if (passes<T>(cta, step, value)) {
        cta.template atomic_or<simt::Order::relaxed>(shared.words, lane, bit);
      }
    });
    cta.sync_warp();
    hits = (hits & ~cta.load(shared.touched, cta.thread())) | cta.load(shared.words, cta.thread());
    cta.sync_warp();
    return hits;
  }

  template <class Cta>
  BOBBIN_HD void fold(Cta& cta, Shared& shared, uint64_t v, uint32_t f, uint32_t rows) const {
    const FoldStep& step = folds[f];
    if (step.column != kNoColumn) {
      rows &= valid_rows(cta, columns[step.column].validity, v);
    }
    add_count(cta, shared, f, static_cast<uint32_t>(std::popcount(rows)));
    if (step.op == Fold::count) {
      return;
    }
    const ColumnPlan& column = columns[step.column];
    with_type<kWide>(column.bytes, [&](auto zero) {
      using T = decltype(zero);
      if (step.op == Fold::extremes) {
        fold_extremes<T>(cta, shared, column, v, f, rows);
      } else if (column.is_float) {
        fold_reals<T>(cta, shared, column, v, f, rows);
      } else {
        fold_sum<T>(cta, shared, column, v, f, rows);
      }
      return 0;
    });
  }

  // Folds dictionary entries.
  template <class Cta>
  BOBBIN_HD void fold_entries(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t f,
                              uint32_t rows, const Codes& codes) const {
    rows &= valid_rows(cta, column.validity, v);
    add_count(cta, shared, f, static_cast<uint32_t>(std::popcount(rows)));
    with_type<kWide>(column.bytes, [&](auto zero) {
      using T = decltype(zero);
      const auto for_each = [&](auto&& one) { codes.for_each_entry<T>(cta, column.dictionary(), rows, one); };
      if (folds[f].op == Fold::extremes) {
        Extremes extremes{cta.load(shared.first, at(cta, f)), cta.load(shared.second, at(cta, f))};
        for_each([&](uint32_t, T value) { extremes.add<T>(value, column.is_float, column.is_signed); });
        cta.store(shared.first, at(cta, f), extremes.least);
        cta.store(shared.second, at(cta, f), extremes.greatest);
      } else if (column.is_float) {
        Chains chains;
        for_each([&](uint32_t r, T value) { (r < 16 ? chains.first : chains.second) += real_of<T>(value); });
        store_real(cta, f, v, RealSum::of_warp(cta, chains.first + chains.second));
      } else {
        WideSum sum;
        for_each([&](uint32_t, T value) { add_to<T>(sum, value, column.is_signed); });
        add_sum<T>(cta, shared, f, column, 0, sum, T{0});
      }
      return 0;
    });
  }
  template <class Cta>
  BOBBIN_HD void store_real(Cta& cta, uint32_t f, uint64_t v, double sum) const {
    if (cta.lane() == 0) {
      cta.store(reals, f * num_vectors(end) + v, sum);
    }
  }

  // Calls one(i, value) for the patches of selected rows, and clears those in `rows`.
  template <class T, class Cta, class One>
  BOBBIN_HD void fold_patches(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t& rows,
                              One&& one) const {
    const auto patches = column.patches().typed<T>();
    const auto run = patches.run(cta, v, cta.lane(), simt::kWarpSize);
    cta.store(shared.touched, cta.thread(), 0U);
    cta.store(shared.words, cta.thread(), rows);
    cta.sync_warp();
    const uint32_t first = cta.warp() * simt::kWarpSize;
    patches.apply(cta, run, [&](uint32_t i, T value) {
      const uint32_t bit = 1U << (i / simt::kWarpSize);
      const uint32_t lane = first + i % simt::kWarpSize;
      cta.template atomic_or<simt::Order::relaxed>(shared.touched, lane, bit);
      if ((cta.load(shared.words, lane) & bit) != 0) {
        one(value);
      }
    });
    cta.sync_warp();
    rows &= ~cta.load(shared.touched, cta.thread());
    cta.sync_warp();
  }

  template <class T, class Cta>
  BOBBIN_HD void fold_sum(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t f,
                          uint32_t rows) const {
    WideSum sum;
    if (column.form == ColumnForm::packed) {
      if (column.has_patches()) {
        fold_patches<T>(cta, shared, column, v, rows,
                        [&](T value) { add_to<T>(sum, value, column.is_signed); });
      }
      const Use use = use_of<T>(cta, shared, folds[f].use, {folds[f].column, 0, false}, v);
      if (use.way == Use::Way::direct) {
        const WideSum packed = sum_direct<T>(cta, column, use, Spread<T>::exchange(cta, rows));
        sum = {sum.low + packed.low, sum.high + packed.high};
        add_sum<T>(cta, shared, f, column, static_cast<uint32_t>(std::popcount(rows)), sum,
                   static_cast<T>(use.low));
        return;
      }
      const WideSum slow = sum_values<T, 1>(rows, column.is_signed,
                                            [&](uint32_t r) { return value_at<T>(cta, column, use, r); });
      sum = {sum.low + slow.low, sum.high + slow.high};
    } else {
      with_values<T>(cta, shared, column, v,
                     [&](auto&& get) { sum = sum_values<T, kAtOnce>(rows, column.is_signed, get); });
    }
    add_sum<T>(cta, shared, f, column, static_cast<uint32_t>(std::popcount(rows)), sum, T{0});
  }
  template <class T, class Cta>
  BOBBIN_HD void fold_reals(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t f,
                            uint32_t rows) const {
    double sum = 0;
    if (column.form == ColumnForm::packed) {
      const Use use = use_of<T>(cta, shared, folds[f].use, {folds[f].column, 0, false}, v);
      sum = use.way == Use::Way::direct
                ? sum_direct_reals<T>(cta, column, use, Spread<T>::exchange(cta, rows))
                : sum_slow_reals<T>(cta, column, use, rows);
    } else {
      with_values<T>(cta, shared, column, v,
                     [&](auto&& get) { sum = RealSum::of_warp(cta, RealSum::of_lane<T>(rows, get)); });
    }
    store_real(cta, f, v, sum);
  }

  template <class T, class Cta>
  BOBBIN_HD void fold_extremes(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t f,
                               uint32_t rows) const {
    Extremes extremes{cta.load(shared.first, at(cta, f)), cta.load(shared.second, at(cta, f))};
    const auto add = [&](T value) { extremes.add<T>(value, column.is_float, column.is_signed); };
    const auto add_rows = [&](auto&& get) {
      for (uint32_t r = 0; r < 32; ++r) {
        if ((rows >> r & 1) != 0) {
          add(get(r));
        }
      }
    };
    if (column.form == ColumnForm::packed) {
      if (column.has_patches()) {
        fold_patches<T>(cta, shared, column, v, rows, add);
      }
      T reference = 0;
      Use use = frame_use<T>(cta, column, v, reference);
      use.low = reference;
      add_rows([&](uint32_t r) { return value_at<T>(cta, column, use, r); });
    } else {
      with_values<T>(cta, shared, column, v, add_rows);
    }
    cta.store(shared.first, at(cta, f), extremes.least);
    cta.store(shared.second, at(cta, f), extremes.greatest);
  }

  // Combines a warp's part of a fold with the others.
  template <class Cta>
  BOBBIN_HD void add_total(Cta& cta, Shared& shared, uint32_t f) const {
    uint64_t count = cta.load(shared.counts, at(cta, f));
    uint64_t first = cta.load(shared.first, at(cta, f));
    uint64_t second = cta.load(shared.second, at(cta, f));
    const bool sums = folds[f].op != Fold::extremes;
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      count += cta.shfl_xor(count, distance);
      const uint64_t other_first = cta.shfl_xor(first, distance);
      const uint64_t other_second = cta.shfl_xor(second, distance);
      first = sums ? first + other_first : first < other_first ? first : other_first;
      second = sums ? second + other_second : second > other_second ? second : other_second;
    }
    if (cta.lane() != 0) {
      return;
    }
    const uint64_t to = uint64_t{f} * TotalWords::kWords;
    constexpr auto kRelaxed = simt::Order::relaxed;
    cta.template atomic_add<kRelaxed>(totals, to + TotalWords::count, count);
    if (sums) {
      // The low part keeps 32 bits, so that the sum over all warps fits 64.
      cta.template atomic_add<kRelaxed>(totals, to + TotalWords::low, first & 0xffffffff);
      cta.template atomic_add<kRelaxed>(totals, to + TotalWords::high, second + (first >> 32));
    } else {
      cta.template atomic_min<kRelaxed>(totals, to + TotalWords::least, first);
      cta.template atomic_max<kRelaxed>(totals, to + TotalWords::greatest, second);
    }
  }
};

// Sums vectors of doubles, one warp each: reduces the sums of floats until one is left.
struct RealSumKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  using Shared = simt::NoShared;

  Global<const double> values;
  Global<double> sums;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t v = uint64_t{cta.block()} * kWarps + cta.warp();
    if (v >= sums.size) {
      return;
    }
    const uint32_t rows = rows_inside(v, cta.lane(), 0, values.size);
    const double lane = RealSum::of_lane<uint64_t>(rows, [&](uint32_t r) {
      return std::bit_cast<uint64_t>(cta.load(values, v * kVectorLength + cta.lane() + r * simt::kWarpSize));
    });
    const double sum = RealSum::of_warp(cta, lane);
    if (cta.lane() == 0) {
      cta.store(sums, v, sum);
    }
  }
};

}  // namespace bobbin::plan
