// SPDX-License-Identifier: Apache-2.0
// Queries of one column whose values must be computed before they can be tested: sums of differences (delta),
// joined parts (alprd), or decimals with exceptions, which have their place in the order of a sum (alp). At
// most one test and at most one sum or count; other queries of such columns are interpreted (stage.hpp).
//
// Shape: one warp per vector of 1024 rows, 32 values per thread, in registers from the last step of decoding
// on. Shared memory per warp: the residuals once, with padding, for delta; two bytes per value for alprd;
// room for as many exceptions as values for alp. Bytes read: those of the column.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/alprd/stage.hpp"
#include "plan/column_input.hpp"
#include "plan/packed.hpp"
#include "plan/stage.hpp"
#include "plan/strided.hpp"
#include "plan/uses.hpp"
#include "simt/cta.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::plan {

// Sums of differences of any order, with stride 1. A thread has 32 adjacent values.
template <class TheValue, uint32_t kWarps>
struct Summed {
  using Value = TheValue;
  static constexpr bool kReals = false;
  static constexpr uint32_t kPadded = kVectorLength + kVectorLength / simt::kWarpSize;
  struct Shared {
    simt::Shared<Value, kWarps * kPadded> residuals;
  };

  [[nodiscard]] BOBBIN_HD static uint32_t index(uint32_t lane, uint32_t n) {
    return lane * simt::kWarpSize + n;
  }
  // The position of value n in the thread's word of bits.
  [[nodiscard]] BOBBIN_HD static uint32_t bit(uint32_t n) { return n; }
  // A thread's bits are one word of a bitmap.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t bitmap_word(Cta& /*cta*/, uint32_t bits) {
    return bits;
  }

  BOBBIN_HD Summed(const QueryInput& /*query*/, const ColumnPlan& /*column*/) {}

  template <class Cta>
  BOBBIN_HD void make(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t count,
                      Value (&values)[32]) const {
    cta.sync_warp();  // the previous vector is no longer in use
    unpack_vector<Value>(cta, column.nodes[0].frames, v, count,
                         [&](uint32_t i, Value value) { cta.store(shared.residuals, at(cta, i), value); });
    cta.sync_warp();
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      values[n] = cta.load(shared.residuals, at(cta, index(cta.lane(), n)));
    }
    const Node& sums = column.nodes[1];
    for (uint32_t order = 0; order < sums.order; ++order) {
      sum_up(cta, cta.load(view_as<Value>(sums.extra), v * sums.order + order), values);
    }
  }

 private:
  // Padding places adjacent values of a thread, and adjacent values of a row, in different banks.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t at(Cta& cta, uint32_t i) {
    return cta.warp() * kPadded + i + i / simt::kWarpSize;
  }

  // A scan over all lanes, starting from the value before the first.
  template <class Cta>
  BOBBIN_HD static void sum_up(Cta& cta, Value restart, Value (&values)[32]) {
    Value total = 0;
    BOBBIN_UNROLL
    for (const Value value : values) {
      total += value;
    }
    Value sum = restart + simt::sum_through(cta, total) - total;
    BOBBIN_UNROLL
    for (Value& value : values) {
      sum += value;
      value = sum;
    }
  }
};

// A thread's packed values of a vector, in the order of Spread.
template <class Value, class Cta>
BOBBIN_HD void unpack_values(Cta& cta, const Frames& frames, uint64_t v, uint32_t count,
                             Value (&values)[32]) {
  const auto packed = view_as<Quad>(frames.packed);
  const auto frame = frames.frame<Value>(cta, v);
  if (count == kVectorLength && frame.width != 0) {
    unpack_whole(cta, packed, frame, [&](uint32_t n, Value value) { values[n] = value; });
    return;
  }
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    const uint32_t i = Spread<Value>::index(cta.lane(), n);
    values[n] =
        static_cast<Value>(i < count ? frame.reference + unpack_one<Value>(cta, packed, frame, i) : Value{0});
  }
}

// Left parts, most of which are codes, and right parts. A thread has the values of packed words.
template <class TheValue, uint32_t kWarps>
struct Joined {
  using Value = TheValue;
  static constexpr bool kReals = true;
  struct Shared {
    simt::Shared<uint32_t, kWarps * kVectorLength / 2> left;  // two per word
  };

  [[nodiscard]] BOBBIN_HD static uint32_t index(uint32_t lane, uint32_t n) {
    return Spread<Value>::index(lane, n);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t bit(uint32_t n) { return Spread<Value>::bit(n); }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t bitmap_word(Cta& cta, uint32_t bits) {
    return transpose(cta, Spread<Value>::exchange(cta, bits));
  }

  BOBBIN_HD Joined(const QueryInput& /*query*/, const ColumnPlan& column)
      : joiner_(codec::alprd::Joiner::of(column.nodes[column.num_nodes - 1].cut)) {}

  template <class Cta>
  BOBBIN_HD void make(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t count,
                      Value (&values)[32]) const {
    cta.sync_warp();  // the previous vector is no longer in use
    make_left(cta, shared, column, v, count);
    unpack_values(cta, column.nodes[column.num_nodes - 2].frames, v, count, values);
    auto& left = as_parts(shared);
    const uint32_t right_bits = column.nodes[column.num_nodes - 1].cut.right_bits;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const Value part = cta.load(left, cta.warp() * kVectorLength + index(cta.lane(), n));
      values[n] = static_cast<Value>(part << right_bits | (values[n] & low_mask<Value>(right_bits)));
    }
  }

 private:
  using Parts = simt::Shared<uint16_t, kWarps * kVectorLength>;
  [[nodiscard]] BOBBIN_HD static Parts& as_parts(Shared& shared) { return simt::seen_as<Parts>(shared.left); }

  template <class Cta>
  BOBBIN_HD void make_left(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v,
                           uint32_t count) const {
    auto& left = as_parts(shared);
    const uint32_t first = cta.warp() * kVectorLength;
    unpack_vector<uint16_t>(cta, column.nodes[0].frames, v, count,
                            [&](uint32_t i, uint16_t code) { cta.store(left, first + i, code); });
    cta.sync_warp();
    if (column.nodes[1].op == Op::patch) {
      const auto patches = column.nodes[1].patches.typed<uint16_t>();
      patches.apply(cta, patches.run(cta, v, cta.lane(), simt::kWarpSize), [&](uint32_t i, uint16_t code) {
        if (i < count) {
          cta.store(left, first + i, code);
        }
      });
      cta.sync_warp();
    }
    for (uint32_t k = cta.lane(); k < kVectorLength / 2; k += simt::kWarpSize) {
      const uint32_t at = first / 2 + k;
      cta.store(shared.left, at, joiner_.parts_of(cta.load(shared.left, at)));
    }
    cta.sync_warp();
  }

  codec::alprd::Joiner joiner_;
};

// Integers that are scaled, and exceptions. A thread has the values of packed words.
template <class TheValue, uint32_t kWarps>
struct Scaled {
  using Value = TheValue;
  static constexpr bool kReals = true;
  struct Shared {
    simt::Shared<Value, kWarps * kVectorLength> exceptions;  // each at the position of its value
    simt::Shared<uint32_t, kWarps * simt::kWarpSize>
        marks;  // a bit for each value of a thread that is an exception
  };

  [[nodiscard]] BOBBIN_HD static uint32_t index(uint32_t lane, uint32_t n) {
    return Spread<Value>::index(lane, n);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t bit(uint32_t n) { return Spread<Value>::bit(n); }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t bitmap_word(Cta& cta, uint32_t bits) {
    return transpose(cta, Spread<Value>::exchange(cta, bits));
  }

  BOBBIN_HD Scaled(const QueryInput& query, const ColumnPlan& /*column*/) : powers_(query.powers) {}

  template <class Cta>
  BOBBIN_HD void make(Cta& cta, Shared& shared, const ColumnPlan& column, uint64_t v, uint32_t count,
                      Value (&values)[32]) const {
    unpack_values(cta, column.nodes[0].frames, v, count, values);
    const auto scales = view_as<uint8_t>(column.scales());
    const auto scaling = powers_.scaling<Value>(cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1));
    BOBBIN_UNROLL
    for (Value& value : values) {
      value = std::bit_cast<Value>(scaling.value_of(value));
    }
    put_exceptions(cta, shared, column.nodes[2].patches.typed<Value>(), v, count);
    const uint32_t marks = cta.load(shared.marks, cta.warp() * simt::kWarpSize + cta.lane());
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      if ((marks >> n & 1) != 0) {
        values[n] = cta.load(shared.exceptions, cta.warp() * kVectorLength + index(cta.lane(), n));
      }
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD static void put_exceptions(Cta& cta, Shared& shared,
                                       const codec::patched::PatchSource<Value>& patches, uint64_t v,
                                       uint32_t count) {
    const uint32_t first = cta.warp() * simt::kWarpSize;
    cta.sync_warp();  // the previous vector is no longer in use
    cta.store(shared.marks, first + cta.lane(), 0U);
    cta.sync_warp();
    patches.apply(cta, patches.run(cta, v, cta.lane(), simt::kWarpSize), [&](uint32_t i, Value value) {
      if (i < count) {
        cta.store(shared.exceptions, cta.warp() * kVectorLength + i, value);
        cta.template atomic_or<simt::Order::relaxed>(shared.marks, first + lane_of(i), 1U << number_of(i));
      }
    });
    cta.sync_warp();
  }

  // Which thread has value i of a vector, and as which of its values: the inverse of index().
  [[nodiscard]] BOBBIN_HD static uint32_t lane_of(uint32_t i) {
    return sizeof(Value) == 8 ? i % 16 + i / 512 * 16 : i % 32;
  }
  [[nodiscard]] BOBBIN_HD static uint32_t number_of(uint32_t i) {
    return sizeof(Value) == 8 ? i / 16 % 32 : i / 32;
  }

  const Powers& powers_;
};

// `kMaker` is one of the above.
template <class Value, template <class, uint32_t> class kMaker>
struct CascadeKernel : Uses {
  static constexpr uint32_t kWarps = 4;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = sizeof(Value) == 8 ? 4 : 6;
  using Maker = kMaker<Value, kWarps>;
  using Shared = typename Maker::Shared;

  uint32_t column = 0;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    // All warps have the same number of consecutive vectors.
    const uint64_t warps = uint64_t{cta.num_blocks()} * kWarps;
    const uint64_t warp = uint64_t{cta.block()} * kWarps + cta.warp();
    const uint64_t vectors = num_vectors(end);
    const uint64_t last = vectors * (warp + 1) / warps;
    const Maker maker(*this, columns[column]);
    uint64_t count = 0;
    WideSum sum;
    for (uint64_t v = vectors * warp / warps; v < last; ++v) {
      Value values[32];
      maker.make(cta, shared, columns[column], v, rows_of(v), values);
      const uint32_t rows = test(values, rows_inside_of(cta, v));
      if (bitmap.data != nullptr) {
        cta.store_once(bitmap, v * simt::kWarpSize + cta.lane(), Maker::bitmap_word(cta, rows));
      }
      count += static_cast<uint32_t>(std::popcount(rows));
      add(cta, v, values, rows, sum);
    }
    add_totals(cta, count, sum);
  }

 private:
  // In the thread's order.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t rows_inside_of(Cta& cta, uint64_t v) const {
    if (v * kVectorLength >= begin && (v + 1) * kVectorLength <= end) {
      return ~uint32_t{0};
    }
    uint32_t rows = 0;
    for (uint32_t n = 0; n < 32; ++n) {
      const uint64_t row = v * kVectorLength + Maker::index(cta.lane(), n);
      rows |= row >= begin && row < end ? 1U << Maker::bit(n) : 0;
    }
    return rows;
  }

  [[nodiscard]] BOBBIN_HD uint32_t test(const Value (&values)[32], uint32_t rows) const {
    if (num_steps == 0) {
      return rows;
    }
    const KeyRange range = steps[0].range;
    uint32_t hits = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      hits |= range.holds<Value>(values[n], Maker::kReals) ? 1U << Maker::bit(n) : 0;
    }
    return rows & (steps[0].negated ? ~hits : hits);
  }

  template <class Cta>
  BOBBIN_HD void add(Cta& cta, uint64_t v, const Value (&values)[32], uint32_t rows, WideSum& sum) const {
    if (num_folds == 0 || folds[0].op != Fold::sum || !cta.any(rows != 0)) {
      return;
    }
    if constexpr (Maker::kReals) {
      Chains chains;
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        double& chain = (sizeof(Value) == 8 ? n % 2 == 0 : n < 16) ? chains.first : chains.second;
        if ((rows >> Maker::bit(n) & 1) != 0) {
          chain += real_of<Value>(values[n]);
        }
      }
      const double real = add_up<Value>(cta, chains);
      if (cta.lane() == 0) {
        cta.store(reals, v, real);
      }
    } else if (columns[column].is_signed) {
      add_integers<true>(values, rows, sum);
    } else {
      add_integers<false>(values, rows, sum);
    }
  }
  template <bool kSigned>
  BOBBIN_HD static void add_integers(const Value (&values)[32], uint32_t rows, WideSum& sum) {
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      add_to<Value>(sum, (rows >> Maker::bit(n) & 1) != 0 ? values[n] : Value{0}, kSigned);
    }
  }
};

}  // namespace bobbin::plan
