// SPDX-License-Identifier: Apache-2.0
// Applications that compute more than they read: products of matrices, alignment of sequences.
#pragma once

#include <cstdint>

#include "assist/apps/data.hpp"
#include "assist/apps/reading.hpp"
#include "assist/apps/vectors.hpp"

namespace bobbin::assist::apps {

// The product of two square matrices of integers. All matrices are stored in tiles of 32 x 32 values, tile
// after tile along a row of tiles: a tile is a group. A block makes 2 x 2 tiles.
template <class A, class B>
struct ProductApp {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kSide = 32;
  static constexpr uint32_t kTile = kSide * kSide;

  // A tile's rows are padded, so that neither rows nor columns have bank conflicts.
  template <class View>
  struct Tiles {
    static constexpr uint32_t kStride = kSide + 1;
    typename View::Shared warp[2];
    simt::Shared<uint32_t, 2 * kSide * kStride> words;

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, const View& view, uint32_t which, uint64_t group) {
      view.read(cta, warp[which], group, view.header(cta, group),
                [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                  const auto at = static_cast<uint32_t>(index % kTile);
                  BOBBIN_UNROLL
                  for (uint32_t i = 0; i < 4; ++i) {
                    cta.store(words, (which * kSide + at / kSide) * kStride + at % kSide + i, quad.word[i]);
                  }
                });
    }
    template <class Cta>
    BOBBIN_HD uint32_t at(Cta& cta, uint32_t which, uint32_t row, uint32_t column) const {
      return cta.load(words, (which * kSide + row) * kStride + column);
    }
  };

  struct Shared {
    Tiles<A> a;
    Tiles<B> b;
  };

  A a;
  B b;
  uint32_t side;  // of the matrices, in tiles: an even number
  Global<uint32_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t row = cta.block() / (side / 2) * 2;
    const uint64_t column = cta.block() % (side / 2) * 2;
    const uint32_t x = cta.thread() % 16;
    const uint32_t y = cta.thread() / 16;
    uint32_t sums[4][4] = {};
    for (uint32_t k = 0; k < side; ++k) {
      cta.sync();
      if (cta.warp() < 2) {
        shared.a.load(cta, a, cta.warp(), (row + cta.warp()) * side + k);
      } else if (cta.warp() < 4) {
        shared.b.load(cta, b, cta.warp() - 2, uint64_t{k} * side + column + cta.warp() - 2);
      }
      cta.sync();
      add_products(cta, shared, x, y, sums);
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t down = y + i / 4 * 16;
      const uint32_t right = x + i % 4 * 16;
      const uint64_t tile = (row + down / kSide) * side + column + right / kSide;
      cta.store(out, tile * kTile + down % kSide * kSide + right % kSide, sums[i / 4][i % 4]);
    }
  }

  [[nodiscard]] uint64_t blocks() const { return uint64_t{side / 2} * (side / 2); }

 private:
  // Values x, x + 16, x + 32, x + 48 of rows y, y + 16 ..
  template <class Cta>
  BOBBIN_HD static void add_products(Cta& cta, const Shared& shared, uint32_t x, uint32_t y,
                                     uint32_t (&sums)[4][4]) {
    for (uint32_t k = 0; k < kSide; ++k) {
      uint32_t left[4];
      uint32_t top[4];
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        left[i] = shared.a.at(cta, i / 2, y + i % 2 * 16, k);
        top[i] = shared.b.at(cta, i / 2, k, x + i % 2 * 16);
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 16; ++i) {
        sums[i / 4][i % 4] += left[i / 4] * top[i % 4];
      }
    }
  }
};

// The Needleman-Wunsch score of pairs of sequences of 128 bases: 1 for a match, -1 otherwise and for a gap.
// A warp reads sixteen pairs and aligns one after another; a lane has four columns, and is one row later than
// the lane to its left.
template <class View>
struct AlignApp {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kLength = 128;
  static constexpr uint32_t kPairs = kGroupBytes / (2 * kLength);
  using Bytes = simt::Shared<uint8_t, kGroupBytes>;

  struct Shared {
    typename View::Shared lines[kWarps];
    simt::Shared<Quad, kGroupBytes / sizeof(Quad)> quads[kWarps];
  };

  View view;  // whole groups
  Global<uint32_t> scores;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t group = uint64_t{cta.block()} * kWarps + cta.warp();
    if (group >= view.num_groups()) {
      return;
    }
    auto& quads = shared.quads[cta.warp()];
    view.read(cta, shared.lines[cta.warp()], group, view.header(cta, group),
              [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                cta.store(quads, static_cast<uint32_t>(index % kGroupBytes / sizeof(Quad)), quad);
              });
    cta.sync_warp();
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      const int32_t score = align(cta, simt::seen_as<Bytes>(quads), pair * 2 * kLength);
      if (cta.lane() == simt::kWarpSize - 1) {
        cta.store(scores, group * kPairs + pair, static_cast<uint32_t>(score));
      }
    }
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kWarps); }

 private:
  // The last lane returns the score.
  template <class Cta>
  BOBBIN_HD static int32_t align(Cta& cta, Bytes& bytes, uint32_t from) {
    const auto lane = static_cast<int32_t>(cta.lane());
    uint8_t column[4];
    int32_t above[4];  // the scores of the row before
    BOBBIN_UNROLL
    for (int32_t i = 0; i < 4; ++i) {
      column[i] = cta.load(bytes, from + kLength + static_cast<uint32_t>(4 * lane + i));
      above[i] = -(4 * lane + i + 1);
    }
    int32_t corner = -4 * lane;  // above and to the left of the first column
    for (int32_t step = 0; step < static_cast<int32_t>(kLength + simt::kWarpSize) - 1; ++step) {
      const int32_t row = step - lane;
      const int32_t from_left = cta.shfl_up(above[3], 1);
      if (row < 0 || row >= static_cast<int32_t>(kLength)) {
        continue;
      }
      int32_t left = lane == 0 ? -(row + 1) : from_left;
      int32_t diagonal = corner;
      corner = left;
      const uint8_t base = cta.load(bytes, from + static_cast<uint32_t>(row));
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        const int32_t matched = diagonal + (base == column[i] ? 1 : -1);
        const int32_t gap = (left > above[i] ? left : above[i]) - 1;
        diagonal = above[i];
        above[i] = matched > gap ? matched : gap;
        left = above[i];
      }
    }
    return above[3];
  }
};

}  // namespace bobbin::assist::apps
