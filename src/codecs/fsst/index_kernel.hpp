// SPDX-License-Identifier: Apache-2.0
// Computes tile words from the codes alone: for codes from elsewhere, and for the encoder.
#pragma once

#include <cstdint>

#include "codecs/fsst/tile.hpp"

namespace bobbin::codec::fsst {

// How many bytes each tile's codes decode to, if its first byte is a literal and if it is not.
struct TileSums {
  static constexpr uint64_t kUnsound = uint64_t{1} << 63;  // marks an invalid code

  Global<uint64_t> closed;
  Global<uint64_t> open;
};

// One warp per tile.
struct MeasureKernel {
  static constexpr uint32_t kWarps = 16;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 2;
  struct Shared {
    SharedTable table;
  };

  CodeStream stream;  // without tiles
  TileSums sums;
  // For a tile that determines whether it ends with an escape: 2 * (index + 1), plus 1 if it does. A tile of
  // nothing but 255s depends on the tile before it, and its key is 0.
  Global<uint64_t> keys;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    shared.table.fill(cta, stream.symbols, stream.counts, kThreads);
    cta.sync();
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps;
    for (uint64_t t = uint64_t{cta.block()} * kWarps + cta.warp(); t < keys.size; t += stride) {
      measure_tile(cta, shared.table, t);
    }
  }

 private:
  struct Result {
    uint64_t bytes = 0;
    bool open = false;
    bool sound = true;
  };

  template <class Cta>
  BOBBIN_HD void measure_tile(Cta& cta, const SharedTable& table, uint64_t tile) const {
    // Only a tile after a 255 may begin with a literal.
    const uint64_t begin = tile * kTileBytes;
    const bool may_be_open = tile != 0 && cta.load(stream.codes, begin - 1) == kEscape;
    const Result closed = measure(cta, table, begin, false);
    const Result open = may_be_open ? measure(cta, table, begin, true) : closed;
    if (cta.lane() == 0) {
      const bool known = closed.open == open.open;
      cta.store(sums.closed, tile, closed.bytes | (closed.sound ? 0 : TileSums::kUnsound));
      cta.store(sums.open, tile, open.bytes | (open.sound ? 0 : TileSums::kUnsound));
      cta.store(keys, tile, known ? 2 * (tile + 1) + (closed.open ? 1 : 0) : uint64_t{0});
    }
  }

  template <class Cta>
  BOBBIN_HD Result measure(Cta& cta, const SharedTable& table, uint64_t begin, bool literal_first) const {
    Result result;
    for (uint64_t at = begin; at < begin + kTileBytes && at < stream.codes.size; at += kWarpCodes) {
      const Quad codes = stream.load(cta, at + cta.lane() * kLaneCodes);
      Round round;
      result.sound &=
          measure_round<true, true>(cta, table, codes, stream.present(cta, at), literal_first, round);
      result.bytes += round.total;
    }
    result.open = literal_first;
    return result;
  }
};

// Picks the sum that applies. `states` has, for each tile, the greatest key before it.
struct PickKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  TileSums sums;
  Global<const uint64_t> states;
  Global<uint64_t> bytes;
  Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t t = uint64_t{cta.block()} * kThreads + cta.thread();
    if (t >= bytes.size) {
      return;
    }
    const bool open = cta.load(states, t) % 2 != 0;
    const uint64_t sum = open ? cta.load(sums.open, t) : cta.load(sums.closed, t);
    if (sum >= TileSums::kUnsound) {
      cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
    }
    cta.store(bytes, t, sum & ~TileSums::kUnsound);
  }
};

// Combines the bytes before each tile with the flag for its first byte.
struct JoinKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const uint64_t> states;
  Global<uint64_t> tiles;  // bytes before each; becomes the tile's word

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t t = uint64_t{cta.block()} * kThreads + cta.thread();
    if (t < tiles.size) {
      cta.store(tiles, t, cta.load(tiles, t) | (cta.load(states, t) % 2 != 0 ? kLiteralFirst : 0));
    }
  }
};

}  // namespace bobbin::codec::fsst
