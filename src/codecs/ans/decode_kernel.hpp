// SPDX-License-Identifier: Apache-2.0
// The decoder. A warp decodes a segment; blocks go on with the next ones, because a table is costly to make.
//
// Two uses of shared memory keep it from being the bottleneck. The table of slots is there several times,
// interleaved entry by entry: lanes look up unrelated slots, and each copy has its own banks for a few lanes.
// The segment's words pass through a ring per warp, filled half by half (as many as a few groups can take) by
// loads that were issued when the previous ones were stored.
//
// Bytes: the encoded ones are read once, the values written once. Instructions: docs/perf/ans.md.
#pragma once

#include <cstdint>

#include "codecs/ans/tile.hpp"
#include "core/bit_scan.hpp"
#include "core/dot_bytes.hpp"
#include "core/permute_bytes.hpp"
#include "simt/cta.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::ans {

using simt::Global;
using simt::Quad;

// The words of a segment in a warp's ring of two halves. Those of the first half are there again after the
// second, so that a half's number of words from any place on is contiguous.
// kTheGroups: that a half has words for, whatever the values.
template <uint32_t kTheGroups>
struct Ring {
  static constexpr uint32_t kGroups = kTheGroups;
  static constexpr uint32_t kHalf = kGroups * kGroup / 2;  // in words
  static constexpr uint32_t kWords = 2 * kHalf;
  static constexpr uint32_t kHalfUnits = kHalf / 2;
  static constexpr uint32_t kUnits = 3 * kHalfUnits;
  static constexpr uint32_t kLoads = kHalfUnits / simt::kWarpSize;  // of each lane

  uint32_t first;  // the ring's first unit in shared memory
  uint64_t unit;   // of the segments: what this lane loads next
  uint64_t end;    // of the segment
  uint32_t at;     // the next word, in shared memory
  uint64_t ahead[kLoads] = {};
  uint32_t half = 0;
  uint32_t left = 0;  // words that have not been taken

  // After the segment's end there are zeros.
  template <class Cta>
  BOBBIN_HD void load_ahead(Cta& cta, Global<const uint64_t> units) {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kLoads; ++i) {
      ahead[i] = unit < end ? cta.load_once(units, unit) : 0;
      unit += simt::kWarpSize;
    }
  }
  template <class Cta, class Units>
  BOBBIN_HD void refill(Cta& cta, Units& ring, Global<const uint64_t> units) {
    cta.sync_warp();
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kLoads; ++i) {
      const uint32_t place = i * simt::kWarpSize + cta.lane();
      cta.store(ring, first + half * kHalfUnits + place, ahead[i]);
      if (half == 0) {
        cta.store(ring, first + 2 * kHalfUnits + place, ahead[i]);
      }
    }
    load_ahead(cta, units);
    half ^= 1;
    left += kHalf;
    cta.sync_warp();
  }
};

// How a block uses shared memory. A small one fits on every GPU, two of them on most. A large one is faster
// (docs/perf/ans.md): it has more copies of the table, and takes more groups between two looks at its ring.
struct SmallBlock {
  static constexpr uint32_t kWarps = 23;  // more would exceed the 99 KiB that a block has on many GPUs
  static constexpr uint32_t kMinBlocks = 2;
  static constexpr uint32_t kTableBits = 13;  // of the number of slots in all copies: 64 KiB
  static constexpr uint32_t kGroups = 2;      // Ring
};
struct LargeBlock {
  static constexpr uint32_t kWarps = 32;
  static constexpr uint32_t kMinBlocks = 1;
  static constexpr uint32_t kTableBits = 14;
  static constexpr uint32_t kGroups = 4;
};

template <uint32_t kBits, class Block>
struct DecodeKernel {
  static constexpr uint32_t kWarps = Block::kWarps;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = Block::kMinBlocks;
  static constexpr uint32_t kSlots = 1U << kBits;
  static constexpr uint32_t kCopies = 1U << (Block::kTableBits - kBits);
  using Ring = ans::Ring<Block::kGroups>;

  struct Shared {
    simt::Shared<Quad, kSlots * kCopies / 2> table;
    simt::Shared<uint64_t, kWarps * Ring::kUnits> rings;
  };
  // While the table is made.
  using Begins = simt::Shared<uint32_t, 257>;
  using Table = simt::Shared<uint64_t, kSlots * kCopies>;
  using Words = simt::Shared<uint32_t, kWarps * Ring::kUnits * 2>;

  Header header;
  Global<const uint16_t> frequencies;
  Global<const uint64_t> units;  // the segments
  Global<const uint32_t> offsets;
  uint64_t begin;  // the first value, counted from that of the first segment
  Global<uint8_t> out;
  Global<uint32_t> out_words;  // the same, as far as there are whole words
  uint32_t lower_half = 1;     // an argument, because an instruction takes it without a register

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    fill_begins(cta, simt::seen_as<Begins>(shared.rings));
    cta.sync();
    fill_table(cta, simt::seen_as<Begins>(shared.rings), shared.table);
    cta.sync();
    const uint64_t count = header.num_segments();
    const uint64_t warps = uint64_t{cta.num_blocks()} * kWarps;
    // The compiler does not know that all lanes have the same warp.
    const uint32_t warp = cta.shfl(cta.warp(), 0);
    for (uint64_t i = uint64_t{cta.block()} * kWarps + warp; i < count; i += warps) {
      decode_segment(cta, shared, warp, i);
    }
  }

 private:
  // The first slot of each byte, by the first warp.
  template <class Cta>
  BOBBIN_HD void fill_begins(Cta& cta, Begins& begins) const {
    if (cta.warp() != 0) {
      return;
    }
    uint32_t before = 0;
    for (uint32_t s = cta.lane(); s < 256; s += simt::kWarpSize) {
      const bool has = s >= header.first && s - header.first < frequencies.size;
      const uint32_t own = has ? cta.load(frequencies, s - header.first) : 0;
      const uint32_t through = simt::sum_through(cta, own);
      cta.store(begins, s, before + through - own);
      before += cta.shfl(through, simt::kWarpSize - 1);
    }
    if (cta.lane() == 0) {
      cta.store(begins, 256, before);
    }
  }

  // A thread takes a slot at a time, finds its byte by bisection and writes all copies.
  template <class Cta, class Quads>
  BOBBIN_HD void fill_table(Cta& cta, const Begins& begins, Quads& table) const {
    for (uint32_t slot = cta.thread(); slot < kSlots; slot += kThreads) {
      uint32_t symbol = 0;
      for (uint32_t step = 128; step != 0; step /= 2) {
        symbol += cta.load(begins, symbol + step) <= slot ? step : 0;
      }
      const uint32_t own = cta.load(begins, symbol);
      const uint32_t frequency = cta.load(begins, symbol + 1) - own;
      const uint32_t rest = Slot::pack(symbol, 0, slot - own);
      for (uint32_t i = 0; i < kCopies / 2; ++i) {
        cta.store(table, slot * (kCopies / 2) + i, Quad{{frequency, rest, frequency, rest}});
      }
    }
  }

  template <class Cta>
  BOBBIN_HD void decode_segment(Cta& cta, Shared& shared, uint32_t warp, uint64_t segment) const {
    const uint32_t zero = cta.load(offsets, 0);
    const uint64_t from = cta.load(offsets, segment) - zero;
    const uint32_t ring_first = warp * Ring::kUnits;
    Ring ring{.first = ring_first,
              .unit = from + kStateUnits + cta.lane(),
              .end = cta.load(offsets, segment + 1) - zero,
              .at = ring_first * 2};
    const Lane lane = Lane::of(cta);
    uint64_t state = cta.load_once(units, from + cta.lane());
    ring.load_ahead(cta, units);
    ring.refill(cta, shared.rings, units);
    ring.refill(cta, shared.rings, units);
    const uint64_t start = segment << header.segment_log;
    const uint32_t values = header.values_in(segment);
    const uint64_t end = begin + out.size;
    const uint32_t coded = coded_groups(values);
    if (begin % kRun == 0 && begin <= start && start + values <= end) {
      uint64_t to = (start - begin) / kRun + cta.lane();
      uint32_t group = 0;
      for (; group + Ring::kGroups <= coded; group += Ring::kGroups, to += Ring::kGroups * kLanes) {
        refill_if_needed(cta, shared, ring);
        BOBBIN_UNROLL
        for (uint32_t i = 0; i < Ring::kGroups; ++i) {
          cta.store_once(out_words, to + i * kLanes, decode_group(cta, shared, ring, lane, state));
        }
        wrap(ring);
      }
      for (; group < coded; ++group, to += kLanes) {
        cta.store_once(out_words, to, decode_alone(cta, shared, ring, lane, state));
      }
      store_bytes(cta, start, coded, end, static_cast<uint32_t>(state));
      return;
    }
    // Values after the last one that is needed are not decoded.
    for (uint32_t group = 0; group <= coded && start + group * kGroup < end; ++group) {
      const bool last = group == coded;
      store_bytes(cta, start, group, end,
                  last ? static_cast<uint32_t>(state) : decode_alone(cta, shared, ring, lane, state));
    }
  }

  // An entry of the table has the frequency in one word, the slot's place (in the lower half) and its byte in
  // the other: taking them apart costs one instruction, which is a product, because products are not the
  // limit. (In one word it costs three.)
  static constexpr uint32_t kEntryBytes = 8;
  static_assert(Slot::kFieldBits <= 16 && 2 * Slot::kFieldBits >= 16);

  // Constants of a lane. They pass through a shuffle, because the compiler would compute them again in every
  // step if it knew how.
  struct Lane {
    uint32_t copy;   // where its copy of a slot's word is, in bytes
    uint32_t below;  // a bit for every lane before it

    template <class Cta>
    BOBBIN_HD static Lane of(Cta& cta) {
      return {cta.shfl(cta.lane() % kCopies, cta.lane()) * kEntryBytes,
              cta.shfl((1U << cta.lane()) - 1, cta.lane())};
    }
  };
  static constexpr uint32_t kWordBytes = kWordBits / 8;
  static constexpr uint32_t kPlaces = (kSlots - 1) * kCopies * kEntryBytes;

  template <class Cta>
  BOBBIN_HD void refill_if_needed(Cta& cta, Shared& shared, Ring& ring) const {
    if (ring.left < Ring::kHalf) {
      ring.refill(cta, shared.rings, units);
    }
  }
  // After as many groups as a half has words for.
  BOBBIN_HD static void wrap(Ring& ring) {
    ring.at = (ring.at - ring.first * 2) % Ring::kWords + ring.first * 2;
  }
  template <class Cta>
  BOBBIN_HD uint32_t decode_alone(Cta& cta, Shared& shared, Ring& ring, const Lane& lane,
                                  uint64_t& state) const {
    refill_if_needed(cta, shared, ring);
    const uint32_t bytes = decode_group(cta, shared, ring, lane, state);
    wrap(ring);
    return bytes;
  }

  // Four values per lane.
  template <class Cta>
  BOBBIN_HD uint32_t decode_group(Cta& cta, Shared& shared, Ring& ring, const Lane& lane,
                                  uint64_t& state) const {
    const auto& table = simt::seen_as<const Table>(shared.table);
    const auto& words = simt::seen_as<const Words>(shared.rings);
    const uint32_t first = cta.place(words, 0);
    uint32_t next = first + ring.at * kWordBytes;  // addresses, because a product and a sum find one
    uint32_t bytes = 0;
    BOBBIN_UNROLL
    for (uint32_t step = 0; step < kRun; ++step) {
      const uint32_t at = (static_cast<uint32_t>(state) * (kCopies * kEntryBytes) & kPlaces) | lane.copy;
      const uint64_t entry = cta.load(table, at / kEntryBytes);
      const auto rest = static_cast<uint32_t>(entry >> 32);
      state = Slot::next(static_cast<uint32_t>(entry), dot_halves(rest, lower_half, 0), state, kBits);
      bytes = permute_bytes(bytes, rest, 0x7321);
      if (step % 2 == 1) {
        const bool takes = state >> 32 == 0;
        const uint32_t takers = cta.ballot(takes);
        const uint32_t word = cta.load_at(words, count_ones(takers & lane.below) * kWordBytes + next);
        state = takes ? state << kWordBits | word : state;
        next += count_ones(takers) * kWordBytes;
      }
    }
    const uint32_t at = (next - first) / kWordBytes;
    ring.left -= at - ring.at;
    ring.at = at;
    return bytes;
  }

  // Those of a lane's four values in a group that the array has.
  template <class Cta>
  BOBBIN_HD void store_bytes(Cta& cta, uint64_t start, uint32_t group, uint64_t end, uint32_t bytes) const {
    const uint64_t stop = start + header.values_in(start >> header.segment_log);
    const uint64_t place = start + group * kGroup + cta.lane() * kRun;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kRun; ++i) {
      if (place + i >= begin && place + i < stop && place + i < end) {
        cta.store(out, place + i - begin, static_cast<uint8_t>(bytes >> (8 * i)));
      }
    }
  }
};

}  // namespace bobbin::codec::ans
