// SPDX-License-Identifier: Apache-2.0
// Expands runs whose ends and values are decoded.
//
// A tile is 8192 rows, 256 threads (codecs/ranks.hpp). The ends inside the tile mark the rows where runs
// begin, so that the run of a row is the number of ends up to it. A thread writes 16 bytes at a time, and
// loads a value where a run begins. Shared memory: that of the marks. Preconditions (checked by validate):
// ends ascend strictly, and the last is not below the array's last row. Cost: for each run an end and a value
// are read, a value more than once where its run is longer than 16 bytes, but then from a cache.
#pragma once

#include <cstdint>

#include "codecs/ranks.hpp"

namespace bobbin::codec::rle {

using ascending::kTileRows;
using ascending::kTileThreads;
using simt::Global;
using simt::Quad;

// A tile's rows begin .. end-1, as numbers of all runs' rows.
template <class Cta>
[[nodiscard]] BOBBIN_HD ascending::Ranks mark_runs(Cta& cta, Global<const uint32_t> ends, uint64_t begin,
                                                   uint64_t end) {
  const uint64_t first = ascending::count_below(cta, ends, begin + 1);
  const uint64_t last = ascending::count_below(cta, ends, end);
  return ascending::Ranks::mark(cta, ends, first, last, begin);
}

template <class T>
struct DecodeKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = ascending::TileShared;

  Global<const uint32_t> ends;
  Global<const T> values;
  Global<T> out;
  Global<Quad> quads;  // of `out`
  uint64_t row;        // of the first value

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kTileRows;
    const uint64_t here = out.size - tile < kTileRows ? out.size - tile : kTileRows;
    const auto ranks = mark_runs(cta, ends, row + tile, row + tile + here);
    ascending::write_tile<T>(cta, out, quads, [&](uint32_t at) {
      const auto word = ranks.word(cta, at);
      uint64_t run = word.through(at);
      T value = cta.load(values, run);
      return simt::quad_of<T>([&](uint32_t i) {
        if (i != 0 && word.marked(at + i)) {
          value = cta.load(values, ++run);
        }
        return value;
      });
    });
  }
};

template <class T>
struct CompareKernel {
  static constexpr uint32_t kThreads = kTileThreads;
  using Shared = ascending::TileShared;

  Global<const uint32_t> ends;
  Global<const T> values;
  Global<uint32_t> bitmap;
  uint64_t row;   // of the first bit
  uint64_t rows;  // from there on
  T low;
  T span;
  bool negated;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kTileRows;
    const uint64_t here = rows - tile < kTileRows ? rows - tile : kTileRows;
    const auto ranks = mark_runs(cta, ends, row + tile, row + tile + here);
    ascending::write_tile_bits(cta, bitmap, here, [&](uint32_t at) {
      const T value = cta.load(values, ranks.word(cta, at).through(at));
      return (static_cast<T>(value - low) <= span) != negated;
    });
  }
};

}  // namespace bobbin::codec::rle
