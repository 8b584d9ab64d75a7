// SPDX-License-Identifier: Apache-2.0
// The general kernel: one launch for any query that has no expressions or groups, where no kernel is compiled
// for it. Tests of several columns are combined by and and or; then a bitmap of the matching rows is written,
// or several columns are folded over them. No value is written to memory.
//
// Shape: a warp processes a vector of 1024 rows, all columns of it; each lane keeps one word of 32 rows
// (strided.hpp). The query is a short program, each step of which processes 1024 rows. Values are decoded to
// shared memory (stage.hpp) before they are tested or folded. Bytes read: those of the columns, for vectors
// that still have rows when a column is needed.
#pragma once

#include <bit>
#include <cstdint>

#include "plan/column_input.hpp"
#include "plan/query_input.hpp"
#include "plan/stage.hpp"
#include "plan/strided.hpp"
#include "plan/uses.hpp"
#include "plan/values.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

struct QueryKernel : Uses {
  static constexpr uint32_t kWarps = 2;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 8;
  static constexpr uint32_t kAtOnce = 8;  // loads of plain values in flight

  struct Shared {
    simt::Shared<uint32_t, kThreads * kMaxDepth> stack;
    simt::Shared<uint32_t, kThreads * kMaxFolds> counts;
    simt::Shared<uint64_t, kThreads * kMaxFolds> first;   // sums: the low part; min and max: the minimum
    simt::Shared<uint64_t, kThreads * kMaxFolds> second;  // the high part; the maximum
    StageMemory<kWarps> staging;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    for (uint32_t f = 0; f < num_folds; ++f) {
      cta.store(shared.counts, at(cta, f), 0U);
      cta.store(shared.first, at(cta, f), folds[f].op == Fold::extremes ? Extremes{}.least : 0);
      cta.store(shared.second, at(cta, f), uint64_t{0});
    }
    const uint64_t vectors = num_vectors(end);
    for (uint64_t v = uint64_t{cta.block()} * kWarps + cta.warp(); v < vectors;
         v += uint64_t{cta.num_blocks()} * kWarps) {
      run_vector(cta, shared, v);
    }
    for (uint32_t f = 0; f < num_folds; ++f) {
      add_total(cta, shared, f);
    }
  }

 private:
  // What is in shared memory: the first steps of a column.
  struct Staged {
    uint32_t column = kNoColumn;
    uint32_t nodes = 0;
  };

  // The program's steps, then the folds. The top of the stack is in a register. Columns are decoded in only
  // one place, because that is most of the kernel's code.
  template <class Cta>
  BOBBIN_HD void run_vector(Cta& cta, Shared& shared, uint64_t v) const {
    const uint32_t rows = rows_inside(v, cta.lane(), begin, end);
    uint32_t top = rows;
    uint32_t depth = 0;  // words on the stack below `top`
    Staged staged;
    for (uint32_t s = 0; s < num_steps + num_folds; ++s) {
      if (s == num_steps) {
        store_bitmap(cta, v, top);
      }
      if (s >= num_steps && !cta.any(top != 0)) {
        return;
      }
      stage(cta, shared, v, s, staged);
      if (s < num_steps) {
        s = run_step(cta, shared, v, s, rows, top, depth);
      } else {
        fold(cta, shared, v, s - num_steps, top);
      }
    }
    if (num_folds == 0) {
      store_bitmap(cta, v, top);
    }
  }

  // One step; returns the number of the last step that is finished.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t run_step(Cta& cta, Shared& shared, uint64_t v, uint32_t s, uint32_t rows,
                                            uint32_t& top, uint32_t& depth) const {
    const Step& step = steps[s];
    switch (step.op) {
      case StepOp::test:
      case StepOp::is_null:
        if (depth != 0) {
          cta.store(shared.stack, at(cta, depth), top);
        }
        ++depth;
        top = rows & (step.op == StepOp::test ? test(cta, shared, step, v, rows) : nulls(cta, step, v));
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

  // Decodes a column's vector to shared memory before a step reads its values, unless it is there already. A
  // test of a dictionary's codes needs only these.
  template <class Cta>
  BOBBIN_HD void stage(Cta& cta, Shared& shared, uint64_t v, uint32_t s, Staged& staged) const {
    const bool tests = s < num_steps && steps[s].op == StepOp::test;
    const bool sums = s >= num_steps && folds[s - num_steps].op != Fold::count;
    const uint32_t c = tests ? steps[s].column : sums ? folds[s - num_steps].column : kNoColumn;
    if (c == kNoColumn || !is_decoded(columns[c])) {
      return;
    }
    const bool codes = tests && columns[c].form == ColumnForm::packed && columns[c].looks_up();
    const uint32_t nodes = columns[c].num_nodes - (codes ? 1U : 0U);
    if (staged.column != c || staged.nodes != nodes) {
      cta.sync_warp();  // the previous one is no longer in use
      Stager<Cta, kWarps>{cta, shared.staging, powers, v, rows_of(v)}.decode(columns[c], nodes);
      staged = {c, nodes};
    }
  }
  [[nodiscard]] BOBBIN_HD static bool is_decoded(const ColumnPlan& column) {
    return column.form == ColumnForm::packed || column.form == ColumnForm::staged;
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

  // Calls f with an unsigned integer type of this size.
  template <class F>
  BOBBIN_HD static auto with_type(uint32_t bytes, F&& f) {
    return bytes == 8   ? f(uint64_t{0})
           : bytes == 4 ? f(uint32_t{0})
           : bytes == 2 ? f(uint16_t{0})
                        : f(uint8_t{0});
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t test(Cta& cta, Shared& shared, const Step& step, uint64_t v,
                                        uint32_t rows) const {
    const ColumnPlan& column = columns[step.column];
    const uint32_t valid = valid_rows(cta, column.validity, v);
    if (column.form == ColumnForm::bitmap) {
      return step.negated ? ~valid : valid;
    }
    const uint32_t hits = with_type(column.tested_bytes(), [&](auto zero) {
      using T = decltype(zero);
      uint32_t found = 0;
      with_values<T>(cta, shared, column, v, [&](auto&& get) {
        found = step.table.data != nullptr ? test_table(cta, step, rows, get)
                                           : test_values<T, kAtOnce>(rows, step.range, step.is_float, get);
      });
      return found;
    });
    return (step.negated ? ~hits : hits) & valid;
  }
  template <class Cta, class Get>
  [[nodiscard]] BOBBIN_HD static uint32_t test_table(Cta& cta, const Step& step, uint32_t rows, Get&& get) {
    uint32_t hits = 0;
    for (uint32_t r = 0; r < 32; ++r) {
      if ((rows >> r & 1) != 0) {
        const uint64_t value = get(r);
        const uint64_t code = value < step.last ? value : step.last;
        hits |= (cta.load(step.table, code / 32) >> (code % 32) & 1) << r;
      }
    }
    return hits;
  }

  // Calls f with a function that returns the thread's values: from a column in memory, or from a staged one.
  template <class T, class Cta, class F>
  BOBBIN_HD void with_values(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, F&& f) const {
    if (is_decoded(column)) {
      auto& values = shared.staging.template as<T>();
      const uint32_t first = shared.staging.template first<T>(cta.warp()) + cta.lane();
      f([&](uint32_t r) { return cta.load(values, first + r * simt::kWarpSize); });
      return;
    }
    const auto values = view_as<T>(column.nodes[0].extra);
    const uint64_t first = v * kVectorLength + cta.lane() - begin;  // begin: where the values start
    f([&](uint32_t r) { return cta.load_once(values, first + r * simt::kWarpSize); });
  }

  template <class Cta>
  BOBBIN_HD void fold(Cta& cta, Shared& shared, uint64_t v, uint32_t f, uint32_t rows) const {
    const FoldStep& step = folds[f];
    if (step.column != kNoColumn) {
      rows &= valid_rows(cta, columns[step.column].validity, v);
    }
    cta.store(shared.counts, at(cta, f),
              cta.load(shared.counts, at(cta, f)) + static_cast<uint32_t>(std::popcount(rows)));
    if (step.op == Fold::count) {
      return;
    }
    const ColumnPlan& column = columns[step.column];
    with_type(column.bytes, [&](auto zero) {
      using T = decltype(zero);
      with_values<T>(cta, shared, column, v, [&](auto&& get) {
        if (step.op == Fold::sum && column.is_float) {
          const double sum = RealSum::of_warp(cta, RealSum::of_lane<T>(rows, get));
          if (cta.lane() == 0) {
            cta.store(reals, f * num_vectors(end) + v, sum);
          }
        } else {
          fold_parts<T>(cta, shared, f, rows, get);
        }
      });
      return 0;
    });
  }
  // A sum of integers, or a minimum and a maximum: two parts in shared memory.
  template <class T, class Cta, class Get>
  BOBBIN_HD void fold_parts(Cta& cta, Shared& shared, uint32_t f, uint32_t rows, Get&& get) const {
    const ColumnPlan& column = columns[folds[f].column];
    uint64_t first = cta.load(shared.first, at(cta, f));
    uint64_t second = cta.load(shared.second, at(cta, f));
    if (folds[f].op == Fold::sum) {
      const WideSum sum = sum_values<T, kAtOnce>(rows, column.is_signed, get);
      first += sum.low;
      second += sum.high;
    } else {
      Extremes extremes{first, second};
      for (uint32_t r = 0; r < 32; ++r) {
        if ((rows >> r & 1) != 0) {
          extremes.add<T>(get(r), column.is_float, column.is_signed);
        }
      }
      first = extremes.least;
      second = extremes.greatest;
    }
    cta.store(shared.first, at(cta, f), first);
    cta.store(shared.second, at(cta, f), second);
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
