// SPDX-License-Identifier: Apache-2.0
// The encoder: counts, then (after the host has chosen frequencies) one kernel, whose blocks write the words
// of segments to scratch memory, or copy segments to their places.
#pragma once

#include <cstdint>

#include "codecs/ans/encode_step.hpp"
#include "codecs/ans/tile.hpp"
#include "core/bit_scan.hpp"
#include "simt/array_from.hpp"
#include "simt/byte_table.hpp"
#include "simt/cta.hpp"
#include "simt/look_back.hpp"
#include "simt/warp_sum.hpp"

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

// Where segments are before they have a place.
struct Scratch {
  uint32_t stride;  // words of scratch per segment
  Global<uint32_t> words;
  Global<uint64_t> states;  // 32 per segment
  Global<uint32_t> counts;  // words per segment, which are its last ones
};

// Blocks encode tiles of segments, a warp one of them, and copy tiles to their places, which depend on the
// sizes of all segments before. Instructions limit the one and memory the other, so both are done at the same
// time: while most warps of a block encode its tile, some copy an earlier one. Blocks take tiles by ticket,
// in the order in which they start, so a block waits only for blocks that have started. The last blocks only
// copy, with all warps.
struct EncodeKernel {
  static constexpr uint32_t kEncoders = 20;  // warps
  static constexpr uint32_t kCopiers = 4;
  static constexpr uint32_t kWarps = kEncoders + kCopiers;  // registers do not suffice for more
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 2;
  static constexpr uint32_t kBits = Layout{}.bits;
  static constexpr uint32_t kCopies = 8;  // of the table: the most that one instruction finds entries of
  using Table = simt::ByteTable<Quad, kCopies>;

  struct Shared {
    Table::Entries table;
    simt::Shared<uint32_t, 1> tile;
    simt::Shared<uint64_t, kEncoders> places;  // of the segments that are copied
    simt::CopyBarrier placed;
  };

  Header header;
  Global<const Quad> entries;
  Global<const uint32_t> value_words;  // four values each, as far as there are whole words
  Global<const uint8_t> values;
  Scratch scratch;
  Global<uint32_t> tickets;  // [0]: the next tile
  Global<uint32_t> encoded;  // segments of each tile that are
  uint32_t lag;              // a tile is copied by the block that takes the tile this much later
  Global<uint64_t> sums;     // of the units of each tile: for the look-back
  Global<uint32_t> offsets;
  Global<uint64_t> units;
  // Constants are arguments, because instructions take those without a register.
  Table::Factors factors = {};
  Entry::Constants constants = {};

  [[nodiscard]] BOBBIN_HD static uint64_t tiles_of(uint64_t segments) {
    return ceil_div<uint64_t>(segments, kEncoders);
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      cta.store(shared.tile, 0, cta.template atomic_add<simt::Order::relaxed>(tickets, 0, 1U));
      cta.barrier_init(shared.placed, kLanes);
    }
    fill_table(cta, shared.table);
    cta.sync();
    const uint32_t tile = cta.load(shared.tile, 0);
    const uint32_t warp = cta.shfl(cta.warp(), 0);  // the compiler does not know that all lanes have the same
    if (tile >= encoded.size) {
      copy_tile(cta, shared, tile - lag, warp, kWarps);
    } else if (warp >= kEncoders) {
      if (tile >= lag) {
        copy_tile(cta, shared, tile - lag, warp - kEncoders, kCopiers);
      }
    } else {
      const uint64_t segment = uint64_t{tile} * kEncoders + warp;
      if (segment < header.num_segments()) {
        encode_segment(cta, Table(cta, shared.table), segment);
        cta.sync_warp();
        if (cta.lane() == 0) {
          cta.template atomic_add<simt::Order::release>(encoded, tile, 1U);
        }
      }
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD void fill_table(Cta& cta, Table::Entries& table) const {
    for (uint32_t i = cta.thread(); i < 256 * kCopies; i += kThreads) {
      cta.store(table, i, cta.load(entries, i / kCopies));
    }
  }

  // A lane while it encodes.
  struct Lane {
    uint64_t state;
    uint32_t free;           // words of scratch that are still free
    Global<uint32_t> words;  // the segment's scratch
    uint32_t below;          // a bit for every lane before it; the compiler should not compute it again
  };

  // A warp encodes a segment, last value first, and writes words from the end of its scratch.
  template <class Cta>
  BOBBIN_HD void encode_segment(Cta& cta, const Table& table, uint64_t segment) const {
    const uint64_t start = segment << header.segment_log;
    uint32_t group = coded_groups(header.values_in(segment));
    Lane lane{.state = kLeastState | last_values(cta, start + group * kGroup),
              .free = scratch.stride,
              .words = simt::array_from(scratch.words, segment * scratch.stride),
              .below = cta.shfl((1U << cta.lane()) - 1, cta.lane())};
    // This lane's values of all groups.
    const auto words = simt::array_from(value_words, start / kRun + cta.lane());
    if (group % 2 != 0) {
      --group;
      encode_group(cta, table, lane, cta.load_once(words, group * kLanes));
    }
    uint32_t late = 0;
    uint32_t early = 0;
    const auto load_two = [&](uint32_t end) {
      late = cta.load_once(words, (end - 1) * kLanes);
      early = cta.load_once(words, (end - 2) * kLanes);
    };
    if (group != 0) {
      load_two(group);
    }
    for (; group != 0; group -= 2) {
      const uint32_t bytes[] = {late, early};
      if (group != 2) {
        load_two(group - 2);
      }
      encode_group(cta, table, lane, bytes[0]);
      encode_group(cta, table, lane, bytes[1]);
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
  BOBBIN_HD void encode_group(Cta& cta, const Table& table, Lane& lane, uint32_t bytes) const {
    encode_pair<2>(cta, table, lane, bytes);
    encode_pair<0>(cta, table, lane, bytes);
  }

  // Values kFirst and kFirst + 1 of a lane's four.
  template <uint32_t kFirst, class Cta>
  BOBBIN_HD void encode_pair(Cta& cta, const Table& table, Lane& lane, uint32_t bytes) const {
    const Entry a{table.load(cta, bytes, factors.of[kFirst])};
    const Entry b{table.load(cta, bytes, factors.of[kFirst + 1])};
    const bool keeps = Entry::fit(lane.state, a, b);
    const auto word = static_cast<uint32_t>(lane.state);
    lane.state = keeps ? lane.state : lane.state >> kWordBits;
    const uint32_t keepers = cta.ballot(keeps);
    lane.free += count_ones(keepers) - kLanes;
    const uint32_t before = count_ones(~keepers & lane.below);
    if (!keeps) {
      cta.store(lane.words, lane.free + before, word);
    }
    lane.state = Entry::next(lane.state, b, a, constants);
  }

  // Some warps copy a tile's segments, one at a time; the first finds the places of all.
  template <class Cta>
  BOBBIN_HD void copy_tile(Cta& cta, Shared& shared, uint32_t tile, uint32_t member, uint32_t members) const {
    const uint64_t first = uint64_t{tile} * kEncoders;
    const uint64_t rest = header.num_segments() - first;
    const auto count = static_cast<uint32_t>(rest < kEncoders ? rest : kEncoders);
    if (member == 0) {
      wait_until_encoded(cta, tile, count);
      place_segments(cta, shared, tile, first, count);
    }
    cta.barrier_wait(shared.placed, 0);
    for (uint32_t i = member; i < count; i += members) {
      copy_segment(cta, first + i, cta.load(shared.places, i));
    }
  }

  template <class Cta>
  BOBBIN_HD void wait_until_encoded(Cta& cta, uint32_t tile, uint32_t count) const {
    if (cta.lane() == 0) {
      while (cta.template atomic_load<simt::Order::acquire>(encoded, tile) != count) {
        cta.pause();
      }
    }
    cta.sync_warp();
  }

  template <class Cta>
  BOBBIN_HD void place_segments(Cta& cta, Shared& shared, uint32_t tile, uint64_t first,
                                uint32_t count) const {
    static_assert(kEncoders <= kLanes, "a lane for each segment");
    const bool exists = cta.lane() < count;
    const uint64_t own = exists ? units_of(cta.load(scratch.counts, first + cta.lane())) : 0;
    const uint64_t through = simt::sum_through(cta, own);
    const uint64_t before = simt::look_back(cta, sums, tile, cta.shfl(through, kLanes - 1));
    if (exists) {
      cta.store(shared.places, cta.lane(), before + through - own);
      cta.store(offsets, first + cta.lane() + 1, static_cast<uint32_t>(before + through));
    }
    if (cta.lane() == 0 && tile == 0) {
      cta.store(offsets, 0, 0U);
    }
    cta.sync_warp();
    cta.barrier_arrive_expect(shared.placed, 0);
  }

  template <class Cta>
  BOBBIN_HD void copy_segment(Cta& cta, uint64_t segment, uint64_t to) const {
    constexpr uint32_t kAtOnce = 8;  // units in flight, of a lane
    const uint32_t words = cta.load(scratch.counts, segment);
    cta.store_once(units, to + cta.lane(), cta.load_once(scratch.states, segment * kLanes + cta.lane()));
    const auto from = simt::array_from(scratch.words, (segment + 1) * scratch.stride - words);
    const auto rest = simt::array_from(units, to + kStateUnits);
    for (uint32_t first = cta.lane(); first < words / 2; first += kAtOnce * kLanes) {
      uint64_t unit[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        const uint32_t at = first + i * kLanes;
        unit[i] = at < words / 2
                      ? uint64_t{cta.load_once(from, 2 * at + 1)} << kWordBits | cta.load_once(from, 2 * at)
                      : 0;
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        const uint32_t at = first + i * kLanes;
        if (at < words / 2) {
          cta.store_once(rest, at, unit[i]);
        }
      }
    }
    if (words % 2 != 0 && cta.lane() == 0) {
      cta.store_once(rest, words / 2, uint64_t{cta.load_once(from, words - 1)});
    }
  }
};

}  // namespace bobbin::codec::ans
