// SPDX-License-Identifier: Apache-2.0
// Writes the fill and the values that stand apart, once those and their positions are decoded.
//
// A tile is 8192 rows, 256 threads (codecs/ranks.hpp). The positions inside the tile mark their rows; a
// marked row's value is the one whose number is the count of positions before it. A thread writes 16 bytes at
// a time, and loads a value for a marked row only. Shared memory: that of the marks. Preconditions (checked
// by validate): positions ascend strictly. Cost: for each position 4 bytes and a value are read.
#pragma once

#include <cstdint>

#include "codecs/ranks.hpp"

namespace bobbin::codec::sparse {

using ascending::kTileRows;
using ascending::kTileThreads;
using simt::Global;
using simt::Quad;

// A tile's rows begin .. end-1, in the numbers that positions have.
template <class Cta>
[[nodiscard]] BOBBIN_HD ascending::Ranks mark_rows(Cta& cta, Global<const uint32_t> positions, uint64_t begin,
                                                   uint64_t end) {
  const uint64_t first = ascending::count_below(cta, positions, begin);
  const uint64_t last = ascending::count_below(cta, positions, end);
  return ascending::Ranks::mark(cta, positions, first, last, begin);
}

template <class T>
struct DecodeKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = ascending::TileShared;

  Global<const uint32_t> positions;
  Global<const T> values;
  Global<T> out;
  Global<Quad> quads;  // of `out`
  uint64_t row;        // of the first value
  T fill;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kTileRows;
    const uint64_t here = out.size - tile < kTileRows ? out.size - tile : kTileRows;
    const auto ranks = mark_rows(cta, positions, row + tile, row + tile + here);
    ascending::write_tile<T>(cta, out, quads, [&](uint32_t at) {
      const auto word = ranks.word(cta, at);
      return simt::quad_of<T>([&](uint32_t i) {
        return word.marked(at + i) ? cta.load(values, word.through(at + i) - 1) : fill;
      });
    });
  }
};

template <class T>
struct CompareKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = ascending::TileShared;

  Global<const uint32_t> positions;
  Global<const T> values;
  Global<uint32_t> bitmap;
  uint64_t row;   // of the first bit
  uint64_t rows;  // from there on
  T fill;
  T low;
  T span;
  bool negated;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kTileRows;
    const uint64_t here = rows - tile < kTileRows ? rows - tile : kTileRows;
    const auto ranks = mark_rows(cta, positions, row + tile, row + tile + here);
    ascending::write_tile_bits(cta, bitmap, here, [&](uint32_t at) {
      const auto word = ranks.word(cta, at);
      const T value = word.marked(at) ? cta.load(values, word.through(at) - 1) : fill;
      return (static_cast<T>(value - low) <= span) != negated;
    });
  }
};

}  // namespace bobbin::codec::sparse
