// SPDX-License-Identifier: Apache-2.0
// Stages that change a thread's values: unpack.hpp says what a stage is.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "codecs/alprd/stage.hpp"
#include "codecs/zigzag/stage.hpp"
#include "plan/stages/unpack.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::plan {

// What stages with one stage before them have in common.
template <class Inner>
struct Stage {
  using Element = typename Inner::Element;
  using Value = typename Inner::Value;
  using Layout = typename Inner::Layout;
  static constexpr uint32_t kFrames = Inner::kFrames;
  template <uint32_t kWarps>
  using Shared = typename Inner::template Shared<kWarps>;

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use frame(Cta& cta, const Uses& query, const ColumnPlan& column,
                                           uint64_t v) {
    return Inner::template frame<K>(cta, query, column, v);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const ColumnPlan& column) {
    Inner::begin(cta, shared, column);
  }
};

// Zigzag codes to signed integers.
template <uint32_t kNode, class Inner>
struct Turn : Stage<Inner> {
  using T = typename Inner::Element;

  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count,
                             typename Inner::Value (&values)[32]) {
    Inner::make(cta, shared, query, column, frames, v, count, values);
    BOBBIN_UNROLL
    for (auto& value : values) {
      value = codec::zigzag::value_of_code(static_cast<T>(value));
    }
  }
};

// f32 without integer multiplications and conversions: the integer is inserted below the exponent of 2^23.
// Both products are rounded like the integers that the codec multiplies and converts.
struct QuickScaling {
  float reference;  // minus 2^23
  float up;
  codec::alp::DeviceScaling<float> scaling;

  // Whether this holds for all integers that `width` bits can add to the reference.
  [[nodiscard]] BOBBIN_HD static bool fits(int32_t reference, uint32_t width, uint32_t factor) {
    constexpr int32_t kMost = 1 << 22;
    if (width > 22 || reference > kMost || reference < -kMost) {
      return false;
    }
    const auto size =
        static_cast<uint64_t>(reference < 0 ? -reference : reference) + low_mask<uint32_t>(width);
    return size * factor < uint64_t{1} << 31;
  }
  static constexpr uint32_t kExponent = 0x4b000000;  // of 2^23

  // The integer, with the reference. `bits`: the exponent and the packed integer.
  [[nodiscard]] BOBBIN_HD float integer(uint32_t bits) const {
    return std::bit_cast<float>(bits) + reference;
  }
  [[nodiscard]] BOBBIN_HD float operator()(uint32_t packed) const {
    return scaling.quotient(integer(kExponent | packed) * up);
  }
};

// Whether the constants below give the codec's bits for all values of a vector. T is the unsigned integer of
// the float's size.
template <class T>
[[nodiscard]] BOBBIN_HD bool is_quick(const Powers& powers, const Use& use) {
  if constexpr (sizeof(T) == 8) {
    return WideScaling::fits(static_cast<int64_t>(use.low), use.width, powers.f64.up[use.f]);
  } else {
    return QuickScaling::fits(static_cast<int32_t>(use.low), use.width, powers.f32.integer[use.f]);
  }
}
// Converts packed integers to floats.
template <class T>
[[nodiscard]] BOBBIN_HD auto quick_scaling(const Powers& powers, const Use& use) {
  if constexpr (sizeof(T) == 8) {
    const auto reference = static_cast<int64_t>(use.low) - (int64_t{1} << 52);
    return WideScaling{static_cast<double>(reference), powers.f64.up[use.f], powers.f64.down[use.e]};
  } else {
    const int32_t reference = static_cast<int32_t>(use.low) - (1 << 23);
    return QuickScaling{static_cast<float>(reference), powers.f32.up[use.f],
                        powers.template scaling<T>(use.e, use.f)};
  }
}

// ALP's integers to floats. `Inner` is an Unpack, or makes the integers in another way.
template <uint32_t kNode, class Inner>
struct Scale : Stage<Inner> {
  using T = typename Inner::Element;

  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count,
                             typename Inner::Value (&values)[32]) {
    Inner::make(cta, shared, query, column, frames, v, count, values);
    const auto scales = view_as<uint8_t>(column.nodes[kNode].extra);
    const auto scaling =
        query.powers.template scaling<T>(cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1));
    BOBBIN_UNROLL
    for (auto& value : values) {
      value = std::bit_cast<T>(scaling.value_of(value));
    }
  }
};
template <uint32_t kNode, uint32_t kUnpackNode, class T, class List>
struct Scale<kNode, Unpack<kUnpackNode, T, List>> : Stage<Unpack<kUnpackNode, T, List>> {
  using Inner = Unpack<kUnpackNode, T, List>;

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use frame(Cta& cta, const Uses& query, const ColumnPlan& column,
                                           uint64_t v) {
    Use use = Inner::template frame<K>(cta, query, column, v);
    const auto scales = view_as<uint8_t>(column.nodes[kNode].extra);
    use.e = cta.load(scales, 2 * v);
    use.f = cta.load(scales, 2 * v + 1);
    return use;
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& /*shared*/, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t /*v*/, uint32_t count,
                             typename Inner::Value (&values)[32]) {
    Inner::load(cta, column, frames[0], count, values);
    using Float = std::conditional_t<sizeof(T) == 8, double, float>;
    if (is_quick<T>(query.powers, frames[0])) {
      const auto scaling = quick_scaling<T>(query.powers, frames[0]);
      BOBBIN_UNROLL
      for (auto& value : values) {
        value = std::bit_cast<T>(static_cast<Float>(scaling(value)));
      }
      return;
    }
    const auto scaling = query.powers.template scaling<T>(frames[0].e, frames[0].f);
    change_slowly(values, [&](uint32_t /*n*/, T packed) {
      return std::bit_cast<T>(scaling.value_of(static_cast<T>(static_cast<T>(frames[0].low) + packed)));
    });
  }
};

// Replaces some values by exceptions. Each is put into shared memory at its place, with a mark for the thread
// that has the value.
template <uint32_t kNode, class Inner>
struct Patch : Stage<Inner> {
  using T = typename Inner::Element;
  using Layout = typename Inner::Layout;

  // Whether all values of a vector are equal, to the reference.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool is_flat(Cta& cta, const ColumnPlan& column, const Use& frame,
                                              uint64_t v) {
    const auto patches = column.nodes[kNode].patches.template typed<T, 1>();
    return Inner::is_flat(cta, column, frame, v) &&
           !cta.any(patches.find(cta, v, cta.lane(), simt::kWarpSize).count != 0);
  }

  template <uint32_t kWarps>
  struct Shared {
    simt::Shared<T, kWarps * kVectorLength> exceptions;
    simt::Shared<uint32_t, kWarps * simt::kWarpSize> marks;
    typename Inner::template Shared<kWarps> inner;
  };

  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const ColumnPlan& column) {
    Inner::begin(cta, shared.inner, column);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count,
                             typename Inner::Value (&values)[32]) {
    // Located first, so that their loads overlap with unpacking.
    const auto patches = column.nodes[kNode].patches.template typed<T, 1>();
    const auto run = patches.run(cta, v, cta.lane(), simt::kWarpSize);
    Inner::make(cta, shared.inner, query, column, frames, v, count, values);
    if (!cta.any(run.count != 0)) {
      return;
    }
    const uint32_t warp = cta.warp() * simt::kWarpSize;
    const uint32_t first = cta.warp() * kVectorLength;
    cta.sync_warp();  // the previous vector is no longer in use
    cta.store(shared.marks, warp + cta.lane(), 0U);
    cta.sync_warp();
    patches.apply(cta, run, [&](uint32_t i, T value) {
      cta.store(shared.exceptions, first + i, value);
      cta.template atomic_or<simt::Order::relaxed>(shared.marks, warp + Layout::lane_of(i),
                                                   1U << Layout::number_of(i));
    });
    cta.sync_warp();
    const uint32_t marks = cta.load(shared.marks, warp + cta.lane());
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      if ((marks >> n & 1) != 0) {
        values[n] = cta.load(shared.exceptions, first + Layout::index(cta.lane(), n));
      }
    }
  }
};

// A vector in shared memory from which each thread reads 32 neighbours. Elements of kBytes: adjacent rows of
// a lane share a word; a word is left free after each row of words, so that threads read different banks.
template <class T>
struct Turned {
  static constexpr uint32_t kPerRow = kLanes<T>;
  static constexpr uint32_t kPitch = kPerRow + 1;
  static constexpr uint32_t kWords = kRows<T> * kPitch * (sizeof(T) / 4);
  static_assert(sizeof(T) >= 4);

  // The place of value i, in elements.
  template <uint32_t kBytes>
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t place(uint32_t i) {
    if constexpr (kBytes == 8) {
      return i / kPerRow * kPitch + i % kPerRow;
    } else {
      constexpr uint32_t kPerWord = 4 / kBytes;
      const uint32_t row = i / kPerRow;
      return (row / kPerWord * kPitch + i % kPerRow) * kPerWord + row % kPerWord;
    }
  }
};

// Neighbouring values in each thread. T has 32 or 64 bits.
template <class Inner>
struct Neighbours : Stage<Inner> {
  using T = typename Inner::Element;
  using Layout = NeighbourLayout;
  using Value = typename Inner::Value;
  template <uint32_t kWarps>
  struct Shared {
    static constexpr uint32_t kAllWords = kWarps * Turned<T>::kWords;
    simt::Shared<uint32_t, kAllWords> words;
    typename Inner::template Shared<kWarps> inner;

    template <class Element>
    [[nodiscard]] BOBBIN_HD auto& as() {
      return simt::seen_as<simt::Shared<Element, kAllWords * 4 / sizeof(Element)>>(words);
    }
    template <class Element>
    [[nodiscard]] BOBBIN_HD static uint32_t first(uint32_t warp) {
      return warp * (Turned<T>::kWords * 4 / sizeof(Element));
    }
  };

  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const ColumnPlan& column) {
    Inner::begin(cta, shared.inner, column);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count, Value (&values)[32]) {
    if constexpr (requires { Inner::load(cta, column, frames[0], count, values); }) {
      // Without the reference, values are as narrow as they are packed.
      if (Inner::kNarrow != 0 && frames[0].way == Use::Way::direct && frames[0].width != 0) {
        turn_words(cta, shared, column, frames[0], values);
      } else {
        Inner::load(cta, column, frames[0], count, values);
        if (frames[0].width <= 8) {
          turn<uint8_t>(cta, shared, values);
        } else if (frames[0].width <= 16) {
          turn<uint16_t>(cta, shared, values);
        } else {
          turn<T>(cta, shared, values);
        }
      }
      BOBBIN_UNROLL
      for (Value& value : values) {
        value = static_cast<T>(value + static_cast<T>(frames[0].low));
      }
    } else {
      Inner::make(cta, shared.inner, query, column, frames, v, count, values);
      turn<T>(cta, shared, values);
    }
  }

 private:
  // Packed words of whole bytes are in the order of the elements already.
  template <class Cta, class Memory>
  BOBBIN_HD static void turn_words(Cta& cta, Memory& shared, const ColumnPlan& column, const Use& use,
                                   Value (&values)[32]) {
    if constexpr (Inner::kNarrow != 0) {
      constexpr uint32_t kBytes = Inner::kNarrow / 8;
      using Element = std::conditional_t<kBytes == 1, uint8_t, uint16_t>;
      Lane<T, Inner::kNarrow> lane;
      lane.load(cta, view_as<Quad>(Inner::packed(column)), use.first_register);
      cta.sync_warp();  // the previous vector is no longer in use
      const uint32_t first = shared.template first<uint32_t>(cta.warp());
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < Inner::kNarrow; ++k) {
        const uint32_t i = Inner::Layout::index(cta.lane(), k * (4 / kBytes));
        cta.store(shared.words, first + Turned<T>::template place<kBytes>(i) / (4 / kBytes), lane.words[k]);
      }
      cta.sync_warp();
      take<Element>(cta, shared, values);
    }
  }
  template <class Element, class Cta, class Memory>
  BOBBIN_HD static void take(Cta& cta, Memory& shared, Value (&values)[32]) {
    auto& elements = shared.template as<Element>();
    const uint32_t first = shared.template first<Element>(cta.warp());
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      values[n] = cta.load(elements, first + Turned<T>::template place<sizeof(Element)>(cta.lane() * 32 + n));
    }
  }
  template <class Element, class Cta, class Memory>
  BOBBIN_HD static void turn(Cta& cta, Memory& shared, Value (&values)[32]) {
    using Whole = std::conditional_t<sizeof(Element) == 8, uint64_t, uint32_t>;
    constexpr uint32_t kPerWord = sizeof(Whole) / sizeof(Element);
    auto& words = shared.template as<Whole>();
    const uint32_t first_word = shared.template first<Whole>(cta.warp());
    cta.sync_warp();  // the previous vector is no longer in use
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; n += kPerWord) {
      auto word = static_cast<Whole>(values[n]);
      BOBBIN_UNROLL
      for (uint32_t k = 1; k < kPerWord; ++k) {
        word |= static_cast<Whole>(values[n + k]) << (k * kBits<Element> % kBits<Whole>);
      }
      const uint32_t i = Inner::Layout::index(cta.lane(), n);
      cta.store(words, first_word + Turned<T>::template place<sizeof(Element)>(i) / kPerWord, word);
    }
    cta.sync_warp();
    take<Element>(cta, shared, values);
  }
};

// Sums differences of some order, with stride 1. `Inner` is a Neighbours, or a stage over one.
template <uint32_t kNode, uint32_t kOrder, class Inner>
struct SumUp : Stage<Inner> {
  using T = typename Inner::Element;
  using Value = typename Inner::Value;

  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count, Value (&values)[32]) {
    Inner::make(cta, shared, query, column, frames, v, count, values);
    const auto restarts = view_as<T>(column.nodes[kNode].extra);
    BOBBIN_UNROLL
    for (uint32_t order = 0; order < kOrder; ++order) {
      Value total = 0;
      BOBBIN_UNROLL
      for (const Value value : values) {
        total += value;
      }
      Value sum = cta.load(restarts, v * kOrder + order) + simt::sum_through(cta, total) - total;
      BOBBIN_UNROLL
      for (Value& value : values) {
        sum += value;
        value = sum;
      }
    }
  }
};

// The left parts of alprd's values in shared memory, two per word, from the codes that `Left` makes.
template <uint32_t kNode, class Left>
struct LeftParts {
  static_assert(std::is_same_v<typename Left::Layout, SpreadLayout<uint16_t>>, "two adjacent codes per word");
  template <uint32_t kWarps>
  struct Shared {
    simt::Shared<uint32_t, kWarps * kVectorLength / 2> parts;
    simt::Shared<uint32_t, 4> table;  // Joiner's
    typename Left::template Shared<kWarps> left;
  };

  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const ColumnPlan& column) {
    Left::begin(cta, shared.left, column);
    if (cta.thread() == 0) {
      const auto joiner = codec::alprd::Joiner::of(column.nodes[kNode].cut);
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 2; ++k) {
        cta.store(shared.table, k, joiner.low[k]);
        cta.store(shared.table, 2 + k, joiner.high[k]);
      }
    }
    cta.sync();
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count) {
    uint32_t codes[32];
    Left::make(cta, shared.left, query, column, frames, v, count, codes);
    const codec::alprd::Joiner joiner{.cut = column.nodes[kNode].cut,
                                      .low = {cta.load(shared.table, 0), cta.load(shared.table, 1)},
                                      .high = {cta.load(shared.table, 2), cta.load(shared.table, 3)}};
    cta.sync_warp();  // the previous vector is no longer in use
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; n += 2) {
      const uint32_t at = (cta.warp() * kVectorLength + Left::Layout::index(cta.lane(), n)) / 2;
      cta.store(shared.parts, at, joiner.parts_of(codes[n] | codes[n + 1] << 16));
    }
    cta.sync_warp();
  }
  // The part of value i of the warp's vector.
  template <class Cta, class Memory>
  [[nodiscard]] BOBBIN_HD static uint32_t part(Cta& cta, Memory& shared, uint32_t i) {
    auto& parts = simt::seen_as<simt::Shared<uint16_t, sizeof(shared.parts) / 2>>(shared.parts);
    return cta.load(parts, cta.warp() * kVectorLength + i);
  }
};

// Joins alprd's left parts, which `Left` makes as codes, with right parts.
template <uint32_t kNode, class Left, class Right>
struct Join : Stage<Right> {
  using T = typename Right::Element;
  using Value = typename Right::Value;
  using Layout = typename Right::Layout;
  using Parts = LeftParts<kNode, Left>;
  static constexpr uint32_t kFrames = Left::kFrames + Right::kFrames;
  template <uint32_t kWarps>
  struct Shared {
    typename Parts::template Shared<kWarps> parts;
    typename Right::template Shared<kWarps> right;
  };

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use frame(Cta& cta, const Uses& query, const ColumnPlan& column,
                                           uint64_t v) {
    if constexpr (K < Left::kFrames) {
      return Left::template frame<K>(cta, query, column, v);
    } else {
      return Right::template frame<K - Left::kFrames>(cta, query, column, v);
    }
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const ColumnPlan& column) {
    Parts::begin(cta, shared.parts, column);
    Right::begin(cta, shared.right, column);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count, Value (&values)[32]) {
    Parts::make(cta, shared.parts, query, column, frames, v, count);
    Right::make(cta, shared.right, query, column, frames + Left::kFrames, v, count, values);
    const uint32_t right_bits = column.nodes[kNode].cut.right_bits;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const Value part = Parts::part(cta, shared.parts, Layout::index(cta.lane(), n));
      values[n] = static_cast<T>(part << right_bits | (values[n] & low_mask<T>(right_bits)));
    }
  }
};

}  // namespace bobbin::plan
