// SPDX-License-Identifier: Apache-2.0
// Tiles of copies: a team of threads takes as many sequences of a block at a time as it has threads, or about
// 32 bytes for each.
#pragma once

#include "codecs/zstd/measure_kernel.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::zstd {

// Threads that work on one frame: a warp of several in a block, or all warps of a block.
template <uint32_t kNumWarps>
struct Team {
  static constexpr uint32_t kThreads = kNumWarps * simt::kWarpSize;

  struct Shared {
    simt::Shared<uint32_t, kNumWarps> counts;
    simt::Shared<uint32_t, kNumWarps> ends;
    simt::Shared<uint32_t, kNumWarps> sums;
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t rank(Cta& cta) {
    return kNumWarps == 1 ? cta.lane() : cta.thread();
  }
  template <class Cta>
  BOBBIN_HD static void sync(Cta& cta) {
    if constexpr (kNumWarps == 1) {
      cta.sync_warp();
    } else {
      cta.sync();
    }
  }

  // The sum over all threads of lower rank. The next call must come after a sync().
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t sum_before(Cta& cta, Shared& shared, uint32_t own) {
    const uint32_t through = simt::sum_through(cta, own);
    uint32_t before = through - own;
    if constexpr (kNumWarps > 1) {
      if (cta.lane() == simt::kWarpSize - 1) {
        cta.store(shared.sums, cta.warp(), through);
      }
      cta.sync();
      for (uint32_t w = 0; w < cta.warp(); ++w) {
        before += cta.load(shared.sums, w);
      }
    }
    return before;
  }

  // What the team's sequences come to.
  struct Survey {
    uint32_t taken = 0;  // how many fit
    uint32_t end = 0;    // of the last of them
    bool damaged = false;
  };
  // Those that fit come first. The next call must come after a sync().
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Survey survey(Cta& cta, Shared& shared, bool fits, uint32_t end,
                                               bool damaged) {
    Survey own;
    own.taken = static_cast<uint32_t>(std::popcount(cta.ballot(fits)));
    own.end = cta.shfl(end, own.taken == 0 ? 0 : own.taken - 1);
    own.damaged = cta.any(damaged);
    if constexpr (kNumWarps == 1) {
      return own;
    }
    if (cta.lane() == 0) {
      cta.store(shared.counts, cta.warp(), own.taken | (own.damaged ? kDamaged : 0));
      cta.store(shared.ends, cta.warp(), own.end);
    }
    cta.sync();
    Survey all;
    for (uint32_t w = 0; w < kNumWarps; ++w) {
      const uint32_t count = cta.load(shared.counts, w);
      all.damaged |= (count & kDamaged) != 0;
      all.end = count % kDamaged != 0 ? cta.load(shared.ends, w) : all.end;
      all.taken += count % kDamaged;
    }
    all.taken = same_in_all(cta, all.taken);
    all.end = same_in_all(cta, all.end);
    return all;
  }

  // A value that is the same in all lanes, so that the compiler knows: it is then kept in one register for
  // the warp.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t same_in_all(Cta& cta, uint32_t value) {
    return cta.shfl(value, 0);
  }

  // One number for all threads; `take` is called by one of them. The next call must come after a sync().
  template <class Cta, class Take>
  [[nodiscard]] BOBBIN_HD static uint32_t agree(Cta& cta, Shared& shared, Take&& take) {
    if constexpr (kNumWarps == 1) {
      return cta.shfl(cta.lane() == 0 ? take() : 0, 0);
    }
    if (cta.thread() == 0) {
      cta.store(shared.counts, 0, take());
    }
    cta.sync();
    return same_in_all(cta, cta.load(shared.counts, 0));
  }

 private:
  static constexpr uint32_t kDamaged = 64;  // more than a warp's count
};

// A block's literals: `mask` is 0 where one byte is repeated.
struct Literals {
  Global<const uint8_t> bytes{};
  uint32_t mask = ~uint32_t{0};

  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t at(Cta& cta, uint32_t i) const {
    return cta.load(bytes, i & mask);
  }

  // `kinds` is Block::literals. `from` is where they begin in the frame, or of Huffman literals, in the
  // frame's scratch for literals.
  [[nodiscard]] BOBBIN_HD static Literals of(const Slice& slice, const FrameInfo& info,
                                             Global<const uint8_t> in, uint32_t kinds, uint32_t from) {
    Block of_kind{};
    of_kind.literals = kinds;
    const auto decoded = slice.part<const uint8_t>(info, Region::of(info).literals, info.literals);
    const Global<const uint8_t> all = of_kind.has_huffman() ? decoded : in;
    return {{all.data + from, all.size - from}, of_kind.literal_kind() == 1 ? 0 : ~uint32_t{0}};
  }
};

// A thread's sequence in a tile.
struct TileSequence {
  uint32_t literal;   // its first one
  uint32_t literals;  // how many
  uint32_t start;
  uint32_t end;
  uint32_t offset;

  // Whether the match reaches into its own tile.
  [[nodiscard]] BOBBIN_HD bool is_inside() const { return offset < end; }
};

// Where a tile lies: its first byte and the one after its last, counted from an aligned one, `origin`, so
// that the bytes of a word lie in one bitmap word.
struct Extent {
  uint32_t head;
  uint32_t end;
  uint32_t origin;      // may wrap, and wraps back
  uint32_t first_word;  // of kWord bytes

  // `skew` is where the first byte of all content lies in its word.
  template <uint32_t kWord = 4>
  [[nodiscard]] BOBBIN_HD static Extent of(uint32_t skew, uint32_t begin, uint32_t size) {
    const uint32_t head = (skew + begin) % kWord;
    return {.head = head, .end = head + size, .origin = begin - head, .first_word = (skew + begin) / kWord};
  }
  [[nodiscard]] BOBBIN_HD bool has(uint32_t j) const { return j >= head && j < end; }
  [[nodiscard]] BOBBIN_HD bool has_word(uint32_t w) const { return 4 * w >= head && 4 * w + 4 <= end; }
  // The first run's bits begin with the word, so that every byte of it belongs to a run.
  [[nodiscard]] BOBBIN_HD uint32_t bit_of(uint32_t start) const { return start == head ? 0 : start; }
};

// The sequences of a block that are copied one tile after another.
struct BlockCopies {
  Global<uint64_t> records{};
  Literals literals{};
  uint32_t begin = 0;  // of the block, in the content
  uint32_t window = 0;
};

template <uint32_t kTeamWarps>
struct CopyRuns {
  using Members = Team<kTeamWarps>;
  static constexpr uint32_t kTeam = Members::kThreads;
  static constexpr uint32_t kTile = 32 * kTeam;
  static constexpr uint32_t kMostContent = kTile - 16;  // so that a tile may begin inside of an aligned word

  struct Shared {
    simt::Shared<uint32_t, 4> recent;  // offsets before the block
    typename Members::Shared team;
  };

  template <class Cta>
  BOBBIN_HD static void keep_recent(Cta& cta, Shared& shared, const Recent& recent) {
    if (Members::rank(cta) == 0) {
      for (uint32_t i = 0; i < 3; ++i) {
        cta.store(shared.recent, i, recent.slot[i]);
      }
    }
    Members::sync(cta);
  }

  // An offset that was a recent one before the block is looked up.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t offset_of(Cta& cta, const Shared& shared, uint32_t slot) {
    if ((slot & Recent::kOld) == 0) {
      return slot;
    }
    return cta.load(shared.recent, slot >> Recent::kSlot & 3) - low_bits(slot, Recent::kSlot);
  }

  // A thread's record and the one after it; after the last, the last one twice.
  struct TwoRecords {
    uint64_t own;
    uint64_t next;
  };
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static TwoRecords records_at(Cta& cta, const BlockCopies& block, uint32_t first,
                                                       uint32_t last) {
    const uint32_t i = first + Members::rank(cta);
    return {cta.load(block.records, i < last ? i : last), cta.load(block.records, i < last ? i + 1 : last)};
  }

  // Records first .. last-1, by target.copy_tile() and, where one is longer than a tile, target.copy_long().
  // The record at `last` is read too. False where an offset reaches too far.
  template <class Cta, class Target>
  [[nodiscard]] BOBBIN_HD static bool copy(Cta& cta, Shared& shared, const Target& target,
                                           const BlockCopies& block, uint32_t first, uint32_t last) {
    uint32_t place = Copy::place(cta.load(block.records, first));
    TwoRecords records = records_at(cta, block, first, last);
    while (first < last) {
      const uint32_t i = first + Members::rank(cta);
      const uint64_t own = records.own;
      const uint64_t next = records.next;
      const TileSequence lane{.literal = Copy::literal(own),
                              .literals = Copy::literal(next) - Copy::literal(own),
                              .start = Copy::place(own) - place,
                              .end = Copy::place(next) - place,
                              .offset = offset_of(cta, shared, Copy::slot(own))};
      const uint32_t before = block.begin + Copy::place(own) + lane.literals;
      const uint32_t reach = before < block.window ? before : block.window;
      const auto survey = Members::survey(cta, shared.team, i < last && lane.end <= kMostContent, lane.end,
                                          i < last && lane.offset - 1 >= reach);
      if (survey.damaged) {
        return false;
      }
      // The next tile's records are on their way while this one is copied.
      records = records_at(cta, block, first + (survey.taken == 0 ? 1 : survey.taken), last);
      if (survey.taken == 0) {
        copy_long(cta, shared, target, block, first);
        place = Copy::place(cta.load(block.records, first + 1));
        first += 1;
      } else {
        target.copy_tile(cta, block.begin + place, lane, survey, block.literals);
        place += survey.end;
        first += survey.taken;
      }
    }
    return true;
  }

  // Writes bytes begin .. begin+count-1 of the target; at(j) is the j-th of them. Four at a time if possible.
  template <class Cta, class Target, class At>
  BOBBIN_HD static void write(Cta& cta, const Target& target, uint32_t begin, uint32_t count, At&& at) {
    const Extent extent = Extent::of(target.skew(), begin, count);
    for (uint32_t w = Members::rank(cta); 4 * w < extent.end; w += kTeam) {
      const uint32_t j = 4 * w - extent.head;  // of the word's first byte; wraps for the first word
      if (extent.has_word(w)) {
        uint32_t four[4];
        BOBBIN_UNROLL
        for (uint32_t b = 0; b < 4; ++b) {
          four[b] = at(j + b);
        }
        target.store_four(cta, extent.first_word + w, four);
      } else {
        for (uint32_t b = 0; b < 4; ++b) {
          if (extent.has(4 * w + b)) {
            target.store(cta, begin + j + b, at(j + b));
          }
        }
      }
    }
  }

  template <class Cta, class Target>
  BOBBIN_HD static void copy_literals(Cta& cta, const Target& target, uint32_t begin, uint32_t count,
                                      const Literals& literals, uint32_t first) {
    write(cta, target, begin, count, [&](uint32_t j) { return target.literal(literals.at(cta, first + j)); });
  }

 private:
  // One sequence, which is longer than a tile.
  template <class Cta, class Target>
  BOBBIN_HD static void copy_long(Cta& cta, const Shared& shared, const Target& target,
                                  const BlockCopies& block, uint32_t index) {
    const uint64_t own = cta.load(block.records, index);
    const uint64_t next = cta.load(block.records, index + 1);
    const uint32_t offset = offset_of(cta, shared, Copy::slot(own));
    const uint32_t begin = block.begin + Copy::place(own);
    const uint32_t count = Copy::literal(next) - Copy::literal(own);
    const uint32_t match = Copy::place(next) - Copy::place(own) - count;
    copy_literals(cta, target, begin, count, block.literals, Copy::literal(own));
    Members::sync(cta);
    const uint32_t from = begin + count - offset;
    write(cta, target, begin + count, match,
          [&](uint32_t j) { return target.copied(cta, from + (j < offset ? j : j % offset)); });
    Members::sync(cta);
  }
};

}  // namespace bobbin::zstd
