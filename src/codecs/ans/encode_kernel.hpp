// SPDX-License-Identifier: Apache-2.0
// The encoder: counts, then (after the host has chosen frequencies) words of every segment in scratch memory,
// their places, and a copy to there.
#pragma once

#include <cstdint>

#include "codecs/ans/tile.hpp"
#include "core/bit_scan.hpp"
#include "simt/cta.hpp"
#include "simt/prefix_sums.hpp"

namespace bobbin::codec::ans {

using simt::Global;
using simt::Quad;

// Counts bytes. Every lane has its own bank, so that frequent bytes do not collide within a warp.
struct CountKernel {
  static constexpr uint32_t kThreads = 512;
  static constexpr uint32_t kQuadsPerThread = 64;  // at least, to be worth a table
  struct Shared {
    simt::Shared<uint32_t, 256 * simt::kWarpSize> counts;
  };

  Global<const Quad> quads;
  Global<const uint8_t> values;
  Global<uint64_t> totals;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& counts = cta.template shared<Shared>().counts;
    for (uint32_t i = cta.thread(); i < 256 * simt::kWarpSize; i += kThreads) {
      cta.store(counts, i, 0U);
    }
    cta.sync();
    const auto add = [&](uint32_t byte) {
      cta.template atomic_add<simt::Order::relaxed>(counts, byte * simt::kWarpSize + cta.lane(), 1U);
    };
    const uint64_t threads = uint64_t{cta.num_blocks()} * kThreads;
    for (uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread(); i < quads.size; i += threads) {
      const Quad quad = cta.load_once(quads, i);
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < sizeof(Quad); ++k) {
        add(quad.word[k / 4] >> (8 * (k % 4)) & 0xff);
      }
    }
    const uint64_t rest = quads.size * sizeof(Quad) + cta.thread();
    if (cta.block() == 0 && rest < values.size) {
      add(cta.load(values, rest));
    }
    cta.sync();
    if (cta.thread() < 256) {
      uint64_t total = 0;
      for (uint32_t i = 0; i < simt::kWarpSize; ++i) {
        total += cta.load(counts, cta.thread() * simt::kWarpSize + (cta.lane() + i) % simt::kWarpSize);
      }
      if (total != 0) {
        cta.template atomic_add<simt::Order::relaxed>(totals, cta.thread(), total);
      }
    }
  }
};

// Where the encoder leaves segments before they are placed.
struct Scratch {
  uint32_t stride;  // words of scratch per segment
  Global<uint32_t> words;
  Global<uint64_t> states;  // 32 per segment
  Global<uint32_t> counts;  // words per segment, which are its last ones
};

// A warp encodes a segment, last value first, and writes words from the end of its scratch.
struct EncodeKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kBits = Layout{}.bits;
  struct Shared {
    simt::Shared<Quad, 256> symbols;
  };

  Header header;
  Global<const Quad> symbols;
  Global<const uint32_t> value_words;  // four values each, as far as there are whole words
  Global<const uint8_t> values;
  Scratch scratch;

  static Quad pack(const Symbol& symbol) {
    return {{static_cast<uint32_t>(symbol.reciprocal), static_cast<uint32_t>(symbol.reciprocal >> 32),
             symbol.frequency, symbol.begin}};
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& table = cta.template shared<Shared>().symbols;
    cta.store(table, cta.thread(), cta.load(symbols, cta.thread()));
    cta.sync();
    const uint64_t segment = uint64_t{cta.block()} * kWarps + cta.warp();
    if (segment < header.num_segments()) {
      encode_segment(cta, table, segment);
    }
  }

 private:
  using Table = simt::Shared<Quad, 256>;

  struct Lane {
    uint64_t state;
    uint32_t free;           // words of scratch that are still free
    uint32_t below;          // a bit for every lane before it
    Global<uint32_t> words;  // the segment's scratch
  };

  template <class Cta>
  BOBBIN_HD void encode_segment(Cta& cta, const Table& table, uint64_t segment) const {
    const uint64_t start = segment << header.segment_log;
    uint32_t group = coded_groups(header.values_in(segment));
    // What passes through a shuffle is not computed again for every value.
    const uint64_t scratch_first = cta.shfl(segment * scratch.stride, 0);
    Lane lane{.state = kLeastState | last_values(cta, start + group * kGroup),
              .free = scratch.stride,
              .below = cta.shfl((1U << cta.lane()) - 1, cta.lane()),
              .words = {scratch.words.data + scratch_first, scratch.stride}};
    // The word that has this lane's values of the group before.
    uint64_t from = (start + group * kGroup) / kRun + cta.lane() - kLanes;
    uint32_t ahead = group == 0 ? 0 : cta.load_once(value_words, from);
    for (; group != 0; --group) {
      const uint32_t bytes = ahead;
      from -= kLanes;
      ahead = group == 1 ? 0 : cta.load_once(value_words, from);
      encode_pair(cta, table, lane, bytes >> 16);
      encode_pair(cta, table, lane, bytes);
    }
    cta.store(scratch.states, segment * kLanes + cta.lane(), lane.state);
    if (cta.lane() == 0) {
      cta.store(scratch.counts, segment, scratch.stride - lane.free);
    }
  }

  // There may be fewer than 128.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t last_values(Cta& cta, uint64_t first) const {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < kRun; ++i) {
      const uint64_t at = first + cta.lane() * kRun + i;
      bytes |= at < values.size ? uint32_t{cta.load(values, at)} << (8 * i) : 0;
    }
    return bytes;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Symbol symbol_of(Cta& cta, const Table& table, uint32_t byte) {
    const Quad quad = cta.load(table, byte);
    return {uint64_t{quad.word[1]} << 32 | quad.word[0], quad.word[2], quad.word[3]};
  }

  // The two values in the low half of `bytes`.
  template <class Cta>
  BOBBIN_HD void encode_pair(Cta& cta, const Table& table, Lane& lane, uint32_t bytes) const {
    const Symbol a = symbol_of(cta, table, bytes & 0xff);
    const Symbol b = symbol_of(cta, table, bytes >> 8 & 0xff);
    const bool gives = overflows(lane.state, a.frequency, b.frequency, kBits);
    const uint32_t givers = cta.ballot(gives);
    lane.free -= count_ones(givers);
    if (gives) {
      const uint32_t before = count_ones(givers & lane.below);
      cta.store(lane.words, lane.free + before, static_cast<uint32_t>(lane.state));
      lane.state >>= kWordBits;
    }
    lane.state = a.next(b.next(lane.state, kBits), kBits);
  }
};

// Adds up the segments' sizes, by one block.
struct PlaceKernel {
  static constexpr uint32_t kThreads = simt::PrefixSums::kThreads;
  struct Shared {
    simt::PrefixSums sums;
  };

  Global<const uint32_t> counts;
  Global<uint32_t> offsets;
  Global<uint64_t> total;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t all = cta.template shared<Shared>().sums.run(
        cta, counts.size, 0, [&](uint64_t i) -> uint64_t { return units_of(cta.load(counts, i)); },
        [&](uint64_t i, uint64_t end) { cta.store(offsets, i + 1, static_cast<uint32_t>(end)); });
    if (cta.thread() == 0) {
      cta.store(offsets, 0, 0U);
      cta.store(total, 0, all);
    }
  }
};

// A block copies a segment to its place, a thread writes units.
struct CopyKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Scratch scratch;
  Global<const uint32_t> offsets;
  Global<uint64_t> units;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t segment = cta.block();
    const uint32_t words = cta.load(scratch.counts, segment);
    const uint64_t to = cta.load(offsets, segment);
    const uint64_t from = (segment + 1) * scratch.stride - words;
    for (uint32_t unit = cta.thread(); unit < units_of(words); unit += kThreads) {
      cta.store_once(units, to + unit,
                     unit < kStateUnits ? cta.load(scratch.states, segment * kLanes + unit)
                                        : words_of(cta, from, (unit - kStateUnits) * 2, words));
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD uint64_t words_of(Cta& cta, uint64_t from, uint32_t first, uint32_t count) const {
    const uint64_t low = cta.load(scratch.words, from + first);
    const uint64_t high = first + 1 < count ? cta.load(scratch.words, from + first + 1) : 0;
    return high << kWordBits | low;
  }
};

}  // namespace bobbin::codec::ans
