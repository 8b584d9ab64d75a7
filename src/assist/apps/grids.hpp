// SPDX-License-Identifier: Apache-2.0
// Applications on rows of values: a stencil, a convolution, a transposition.
#pragma once

#include <cstdint>

#include "assist/apps/data.hpp"
#include "assist/apps/reading.hpp"
#include "assist/apps/vectors.hpp"

namespace bobbin::assist::apps {

// Rows of 1024 values per warp of a block, in shared memory.
template <class View, uint32_t kWarps, uint32_t kSlots>
struct Rows {
  static_assert(sizeof(typename View::Value) == 4);
  static constexpr uint32_t kQuads = kGroupBytes / sizeof(Quad) * kWarps;  // per row
  static constexpr uint32_t kWidth = 4 * kQuads;
  using Words = simt::Shared<uint32_t, kSlots * kWidth>;

  typename View::Shared warp[kWarps];
  simt::Shared<Quad, kSlots * kQuads> quads;

  BOBBIN_HD static uint32_t slot_of(uint64_t row) { return static_cast<uint32_t>(row % kSlots); }

  // Each warp reads its group of the row.
  template <class Cta>
  BOBBIN_HD void load(Cta& cta, const View& view, uint64_t row) {
    const uint64_t group = row * kWarps + cta.warp();
    view.read(cta, warp[cta.warp()], group, view.header(cta, group),
              [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                cta.store(quads, slot_of(row) * kQuads + static_cast<uint32_t>(index / 4 % kQuads), quad);
              });
  }
  template <class Cta>
  BOBBIN_HD Quad quad(Cta& cta, uint64_t row, uint32_t i) {
    return cta.load(quads, slot_of(row) * kQuads + i);
  }
  template <class Cta>
  BOBBIN_HD uint32_t word(Cta& cta, uint64_t row, uint32_t i) {
    return cta.load(simt::seen_as<Words>(quads), slot_of(row) * kWidth + i);
  }
};

// One step of heat flow over a grid of whole rows: a value moves towards its four neighbours; those outside
// are the value itself.
template <class View, uint32_t kWarps>
struct StencilApp {
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kSlots = 4;
  static constexpr uint64_t kRows = 32;  // per block
  using Ring = Rows<View, kWarps, kSlots>;
  using Shared = Ring;

  View view;
  Global<uint32_t> out;  // aligned to 16 bytes

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& ring = cta.template shared<Shared>();
    const uint64_t height = view.length() / Ring::kWidth;
    const uint64_t first = cta.block() * kRows;
    const uint64_t end = first + kRows < height ? first + kRows : height;
    if (first != 0) {
      ring.load(cta, view, first - 1);
    }
    ring.load(cta, view, first);
    for (uint64_t row = first; row < end; ++row) {
      // The slot's old row was used two rounds ago.
      if (row + 1 < height) {
        ring.load(cta, view, row + 1);
      }
      cta.sync();
      for (uint32_t i = cta.thread(); i < Ring::kQuads; i += kThreads) {
        const Quad quad = step(cta, ring, row, row + 1 < height ? row + 1 : row, i);
        store_values(cta, out, row * Ring::kWidth + i * 4, quad, 4);
      }
    }
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.length(), Ring::kWidth * kRows); }

 private:
  template <class Cta>
  BOBBIN_HD static Quad step(Cta& cta, Ring& ring, uint64_t row, uint64_t below, uint32_t i) {
    const Quad here = ring.quad(cta, row, i);
    const Quad north = ring.quad(cta, row == 0 ? row : row - 1, i);
    const Quad south = ring.quad(cta, below, i);
    const uint32_t west = i == 0 ? here.word[0] : ring.word(cta, row, 4 * i - 1);
    const uint32_t east = i + 1 == Ring::kQuads ? here.word[3] : ring.word(cta, row, 4 * i + 4);
    Quad result;
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t left = k == 0 ? west : here.word[k - 1];
      const uint32_t right = k == 3 ? east : here.word[k + 1];
      const auto flow = static_cast<int32_t>(north.word[k] + south.word[k] + left + right - 4 * here.word[k]);
      result.word[k] = here.word[k] + static_cast<uint32_t>(flow / 8);
    }
    return result;
  }
};

// The rows' part of a separable convolution with 33 weights; values outside are zeros.
template <class View, uint32_t kWarps>
struct ConvolutionApp {
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kRadius = 16;
  static constexpr uint32_t kTaps = 2 * kRadius + 1;
  using Row = Rows<View, kWarps, 1>;
  using Shared = Row;

  View view;  // whole rows
  Global<uint32_t> out;

  BOBBIN_HD static constexpr uint32_t weight(uint32_t tap) {
    return tap < kRadius ? 1 + tap * tap / 8 : 1 + (kTaps - 1 - tap) * (kTaps - 1 - tap) / 8;
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& row = cta.template shared<Shared>();
    row.load(cta, view, cta.block());
    cta.sync();
    for (uint32_t i = cta.thread(); i < Row::kQuads; i += kThreads) {
      store_values(cta, out, uint64_t{cta.block()} * Row::kWidth + i * 4, sums(cta, row, i), 4);
    }
  }

  [[nodiscard]] uint64_t blocks() const { return view.length() / Row::kWidth; }

 private:
  template <class Cta>
  BOBBIN_HD static Quad sums(Cta& cta, Row& row, uint32_t i) {
    constexpr uint32_t kReach = kRadius / 4;  // in quads
    Quad sum{};
    BOBBIN_UNROLL
    for (uint32_t q = 0; q <= 2 * kReach; ++q) {
      const bool is_inside = i + q >= kReach && i + q - kReach < Row::kQuads;
      const Quad quad = is_inside ? row.quad(cta, 0, i + q - kReach) : Quad{};
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 16; ++k) {
        const uint32_t tap = 4 * q + k / 4 - k % 4;  // of value k / 4, for the sum of value k % 4
        if (tap < kTaps) {
          sum.word[k % 4] += quad.word[k / 4] * weight(tap);
        }
      }
    }
    return sum;
  }
};

// Records to columns: 32 records of 128 fields per block.
template <class View>
struct TransposeApp {
  static constexpr uint32_t kWarps = 4;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kFields = RecordData::kFields;
  static constexpr uint32_t kRecords = kWarps * kGroupBytes / 4 / kFields;
  static constexpr uint32_t kStride = kFields + 1;  // without bank conflicts for columns
  static_assert(kRecords == simt::kWarpSize, "a warp stores a column");

  struct Shared {
    typename View::Shared warp[kWarps];
    simt::Shared<uint32_t, kRecords * kStride> words;
  };

  View view;  // a multiple of 32 records
  Global<uint32_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t group = uint64_t{cta.block()} * kWarps + cta.warp();
    view.read(cta, shared.warp[cta.warp()], group, view.header(cta, group),
              [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                const auto at = static_cast<uint32_t>(index % (kRecords * kFields));
                BOBBIN_UNROLL
                for (uint32_t i = 0; i < 4; ++i) {
                  cta.store(shared.words, at / kFields * kStride + at % kFields + i, quad.word[i]);
                }
              });
    cta.sync();
    const uint64_t records = view.length() / kFields;
    for (uint32_t field = cta.warp(); field < kFields; field += kWarps) {
      cta.store_once(out, field * records + uint64_t{cta.block()} * kRecords + cta.lane(),
                     cta.load(shared.words, cta.lane() * kStride + field));
    }
  }

  [[nodiscard]] uint64_t blocks() const { return view.length() / (kRecords * kFields); }
};

}  // namespace bobbin::assist::apps
