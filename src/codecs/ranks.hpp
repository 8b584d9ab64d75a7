// SPDX-License-Identifier: Apache-2.0
// Tile functions of arrays with ascending row numbers (ascending.hpp), after those are decoded.
//
// A block takes a tile of 8192 rows. Its warps search for the tile's first and last row number, 32 probes at
// a time; each number in the tile then marks its row by a bit in shared memory, and a prefix scan over the
// words' popcounts gives the count of numbers before each word. The rank of any row, the count of numbers up
// to it, is then one more popcount: all threads do the same work, however long the runs are.
//
// Shared memory: 2 KiB of marks and ranks. Preconditions (checked by validate): the numbers ascend strictly.
// Cost: 4 bytes read for each number in the tile, besides the search.
#pragma once

#include <cstdint>

#include "core/bit_scan.hpp"
#include "core/bits.hpp"
#include "simt/cta.hpp"
#include "simt/quad_values.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::ascending {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kTileThreads = 256;
inline constexpr uint32_t kTileRows = 32 * kTileThreads;  // a word of 32 rows for each thread

struct TileShared {
  simt::Shared<uint32_t, kTileThreads> marks;
  simt::Shared<uint32_t, kTileThreads> before;  // number of marks in earlier words
  simt::Shared<uint32_t, kTileThreads / simt::kWarpSize> sums;
};

// Counts the numbers below `bound`. All lanes of the warp pass the same bound; each step divides the range by
// 32.
template <class Cta>
[[nodiscard]] BOBBIN_HD uint64_t count_below(Cta& cta, Global<const uint32_t> rows, uint64_t bound) {
  uint64_t low = 0;
  uint64_t high = rows.size;
  while (low < high) {
    const uint64_t part = ceil_div<uint64_t>(high - low, simt::kWarpSize);
    const uint64_t last = low + (cta.lane() + 1) * part - 1;
    const uint32_t below = cta.ballot(last < high && cta.load(rows, last < high ? last : low) < bound);
    low += count_ones(below) * part;
    high = high < low + part - 1 ? high : low + part - 1;
  }
  return low;
}

// A tile's row numbers, marked. Rows count from the tile's first.
struct Ranks {
  uint64_t first;  // count of numbers before the marked ones

  // Marks numbers first .. last-1, all inside the tile that starts at row `begin`. All threads take part.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Ranks mark(Cta& cta, Global<const uint32_t> rows, uint64_t first,
                                            uint64_t last, uint64_t begin) {
    auto& shared = cta.template shared<TileShared>();
    cta.store(shared.marks, cta.thread(), uint32_t{0});
    cta.sync();
    for (uint64_t k = first + cta.thread(); k < last; k += kTileThreads) {
      const auto row = static_cast<uint32_t>(cta.load(rows, k) - begin);
      cta.template atomic_or<simt::Order::relaxed>(shared.marks, row / 32, uint32_t{1} << (row % 32));
    }
    cta.sync();
    const uint32_t own = count_ones(cta.load(shared.marks, cta.thread()));
    const uint32_t through = simt::sum_through(cta, own);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(shared.sums, cta.warp(), through);
    }
    cta.sync();
    uint32_t before = through - own;
    for (uint32_t w = 0; w < cta.warp(); ++w) {
      before += cta.load(shared.sums, w);
    }
    cta.store(shared.before, cta.thread(), before);
    cta.sync();
    return {first};
  }

  // The marks of the 32 rows around a row, and the count of numbers before them.
  struct Word {
    uint32_t marks;
    uint64_t before;

    [[nodiscard]] BOBBIN_HD bool marked(uint32_t row) const { return (marks >> (row % 32) & 1) != 0; }
    // Counts the numbers up to and including a row.
    [[nodiscard]] BOBBIN_HD uint64_t through(uint32_t row) const {
      return before + count_ones(marks & low_mask<uint32_t>(row % 32 + 1));
    }
  };
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Word word(Cta& cta, uint32_t row) const {
    auto& shared = cta.template shared<TileShared>();
    return {cta.load(shared.marks, row / 32), first + cta.load(shared.before, row / 32)};
  }
};

// Writes the block's tile of `out`: quad_of(row) returns the values from a row of the tile on, as many as
// fit.
template <class T, class Cta, class QuadOf>
BOBBIN_HD void write_tile(Cta& cta, Global<T> out, Global<Quad> quads, QuadOf&& quad_of) {
  constexpr uint32_t kPer = simt::kPerQuad<T>;
  const uint64_t tile = uint64_t{cta.block()} * kTileRows;
  for (uint32_t row = cta.thread() * kPer; row < kTileRows && tile + row < out.size;
       row += kTileThreads * kPer) {
    const Quad quad = quad_of(row);
    const uint64_t q = (tile + row) / kPer;
    if (q < quads.size) {
      cta.store_once(quads, q, quad);
      continue;
    }
    for (uint32_t i = 0; i < kPer; ++i) {
      if (tile + row + i < out.size) {
        cta.store(out, tile + row + i, simt::value_of_quad<T>(quad, i));
      }
    }
  }
}

// Writes the bits of the block's tile: a warp calls hit(row) for the rows of 32 words, one word at a time,
// and stores them together. Bits of rows from `rows` on are zero.
template <class Cta, class Hit>
BOBBIN_HD void write_tile_bits(Cta& cta, Global<uint32_t> bitmap, uint64_t rows, Hit&& hit) {
  uint32_t own = 0;
  for (uint32_t w = 0; w < simt::kWarpSize; ++w) {
    const uint32_t row = (cta.warp() * simt::kWarpSize + w) * 32 + cta.lane();
    const uint32_t hits = cta.ballot(row < rows && hit(row));
    own = cta.lane() == w ? hits : own;
  }
  const uint64_t word = uint64_t{cta.block()} * kTileThreads + cta.thread();
  if (word < bitmap.size) {
    cta.store(bitmap, word, own);
  }
}

}  // namespace bobbin::ascending
