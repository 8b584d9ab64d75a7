// SPDX-License-Identifier: Apache-2.0
// The first stages: values from packed words, or from memory.
//
// A stage makes the 32 values that a thread has of a warp's vector, in registers:
//
//   using Value                 uint32_t or uint64_t, which holds an element's bits
//   using Layout                which rows they are (layout.hpp)
//   kFrames, frame<K>()         what it needs to know about a vector, prepared by one lane for each vector
//   Shared<kWarps>              shared memory of a block
//   begin()                     fills what all vectors use, before the first
//   make()                      makes the values; from `count` on they are arbitrary
//
// Stages nest: Patch<2, Scale<1, Unpack<0, uint64_t, Widths<16>>>> is the cascade of three nodes, numbered as
// in ColumnPlan.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/packed.hpp"
#include "plan/stages/layout.hpp"
#include "plan/uses.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// The registers' type for elements of a type.
template <class T>
using ValueOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

struct NothingShared {};

// The widths of packed vectors for which a kernel has code. Vectors of other widths are correct, and slow.
template <uint32_t... kWidths>
struct Widths {
  static constexpr bool kOne = sizeof...(kWidths) == 1;
  static constexpr uint32_t kMost = [] {
    uint32_t most = 0;
    ((most = kWidths > most ? kWidths : most), ...);
    return most;
  }();

  [[nodiscard]] BOBBIN_HD static constexpr bool has(uint32_t width) {
    return width == 0 || ((width == kWidths) || ...);
  }
  // Calls f with the width as a constant if it is in the list.
  template <class F>
  BOBBIN_HD static void with(uint32_t width, F&& f) {
    (void)((width == kWidths ? (f(std::integral_constant<uint32_t, kWidths>{}), true) : false) || ...);
  }
};

// The packed integers of a thread, without the reference; the vector is complete and its width in the list.
template <class T, class List, class Value, class Cta>
BOBBIN_HD void load_packed(Cta& cta, const Bytes& bytes, const Use& use, Value (&values)[32]) {
  if (use.width == 0) {
    BOBBIN_UNROLL
    for (Value& value : values) {
      value = 0;
    }
    return;
  }
  List::with(use.width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
    Lane<T, W> lane;
    lane.load(cta, view_as<Quad>(bytes), use.first_register);
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      values[n] = static_cast<Value>(lane.value(n));
    }
  });
}

// Calls f(n, value) for a thread's values in a loop that is not unrolled, for cases that are rare: they are
// in memory meanwhile.
template <class Value, class F>
BOBBIN_HD void change_slowly(Value (&values)[32], F&& f) {
  Value slow[32];
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    slow[n] = values[n];
  }
  BOBBIN_ROLL
  for (uint32_t n = 0; n < 32; ++n) {
    slow[n] = f(n, slow[n]);
  }
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    values[n] = slow[n];
  }
}

template <uint32_t kNode, class T, class List>
struct Unpack {
  using Element = T;
  using Value = ValueOf<T>;
  using Layout = SpreadLayout<T>;
  static constexpr uint32_t kFrames = 1;
  // The only width, if its values are whole bytes and narrower than the elements; otherwise 0.
  static constexpr uint32_t kNarrow =
      List::kOne && (List::kMost == 8 || List::kMost == 16) && List::kMost < kBits<T> ? List::kMost : 0;
  template <uint32_t kWarps>
  using Shared = NothingShared;

  [[nodiscard]] BOBBIN_HD static const Bytes& packed(const ColumnPlan& column) {
    return column.nodes[kNode].frames.packed;
  }
  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use frame(Cta& cta, const Uses& query, const ColumnPlan& column,
                                           uint64_t v) {
    const auto frame = column.nodes[kNode].frames.template frame<T>(cta, v);
    Use use{.first_register = static_cast<uint32_t>(frame.first_register),
            .width = static_cast<uint8_t>(frame.width),
            .way = List::has(frame.width) && query.rows_of(v) == kVectorLength ? Use::Way::direct
                                                                               : Use::Way::slow};
    use.low = frame.reference;
    return use;
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& /*cta*/, Memory& /*shared*/, const ColumnPlan& /*column*/) {}

  // Whether all values of a vector are equal, to the reference.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool is_flat(Cta& /*cta*/, const ColumnPlan& /*column*/, const Use& frame,
                                              uint64_t /*v*/) {
    return frame.width == 0;
  }
  // Without the reference.
  template <class Cta>
  BOBBIN_HD static void load(Cta& cta, const ColumnPlan& column, const Use& use, uint32_t count,
                             Value (&values)[32]) {
    const Bytes& packed = column.nodes[kNode].frames.packed;
    if (use.way == Use::Way::direct) {
      load_packed<T, List>(cta, packed, use, values);
      return;
    }
    const codec::bitpack::Frame<T> frame{use.first_register, use.width, 0};
    BOBBIN_UNROLL
    for (Value& value : values) {
      value = 0;
    }
    change_slowly(values, [&](uint32_t n, Value zero) {
      const uint32_t i = Layout::index(cta.lane(), n);
      return i < count ? unpack_one<T>(cta, view_as<Quad>(packed), frame, i) : zero;
    });
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& /*shared*/, const Uses& /*query*/, const ColumnPlan& column,
                             const Use* frames, uint64_t /*v*/, uint32_t count, Value (&values)[32]) {
    load(cta, column, frames[0], count, values);
    BOBBIN_UNROLL
    for (Value& value : values) {
      value = static_cast<T>(value + static_cast<T>(frames[0].low));
    }
  }
};

// Values in memory. They start at the first row of the query.
template <uint32_t kNode, class T>
struct Load {
  using Element = T;
  using Value = ValueOf<T>;
  using Layout = StridedLayout;
  static constexpr uint32_t kFrames = 0;
  template <uint32_t kWarps>
  using Shared = NothingShared;

  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& /*cta*/, Memory& /*shared*/, const ColumnPlan& /*column*/) {}
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& /*shared*/, const Uses& query, const ColumnPlan& column,
                             const Use* /*frames*/, uint64_t v, uint32_t /*count*/, Value (&values)[32]) {
    const auto all = view_as<T>(column.nodes[kNode].extra);
    const uint64_t first = v * kVectorLength + cta.lane() - query.begin;  // may wrap around: not inside
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint64_t at = first + uint64_t{n} * simt::kWarpSize;
      values[n] = at < all.size ? cta.load_once(all, at) : T{0};
    }
  }
};

}  // namespace bobbin::plan
