// SPDX-License-Identifier: Apache-2.0
// Tiles of copies: a team of threads takes as many sequences of a block at a time as it has threads, or 32
// bytes for each. Each byte of such a tile finds its run (literals or a match) by a bitmap of run starts.
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
    return all;
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
    return cta.load(shared.counts, 0);
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

// A run of a tile: the byte at `j` of the tile is the one at first + j of its source, which wraps. For a
// match that reaches into the tile, `first` is the offset and `start` where it begins.
struct Run {
  enum Source : uint32_t { output, literals, inside };

  [[nodiscard]] BOBBIN_HD static uint64_t pack(Source source, uint32_t first, uint32_t start = 0) {
    return source | start << 2 | uint64_t{first} << 32;
  }
  [[nodiscard]] BOBBIN_HD static uint32_t source(uint64_t run) { return run & 3; }
  [[nodiscard]] BOBBIN_HD static uint32_t start(uint64_t run) { return static_cast<uint32_t>(run) >> 2; }
  [[nodiscard]] BOBBIN_HD static uint32_t first(uint64_t run) { return static_cast<uint32_t>(run >> 32); }
};

// A thread's sequence in a tile.
struct TileSequence {
  uint32_t literal;   // its first one
  uint32_t literals;  // how many
  uint32_t start;
  uint32_t end;
  uint32_t offset;
};

// Where a tile lies: its first byte and the one after its last, counted from an aligned one, `origin`, so
// that the four bytes of a word lie in one bitmap word.
struct Extent {
  uint32_t head;
  uint32_t end;
  uint32_t origin;  // may wrap, and wraps back
  uint32_t first_word;

  // `skew` is where the first byte of all content lies in its word.
  [[nodiscard]] BOBBIN_HD static Extent of(uint32_t skew, uint32_t begin, uint32_t size) {
    const uint32_t head = (skew + begin) % 4;
    return {.head = head, .end = head + size, .origin = begin - head, .first_word = (skew + begin) / 4};
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
  static constexpr uint32_t kWords = kTeam;  // of the bitmap: one per thread
  static constexpr uint32_t kTile = 32 * kWords;

  struct Shared {
    simt::Shared<uint32_t, kWords> starts;  // a bit where a run begins
    simt::Shared<uint64_t, kWords> index;   // the same, and above it the runs that begin earlier
    simt::Shared<uint64_t, 2 * kTeam> runs;
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
      const auto survey = Members::survey(cta, shared.team, i < last && lane.end + 3 <= kTile, lane.end,
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

  // What is listed of a thread's sequence.
  struct OwnRuns {
    uint64_t literals;
    uint64_t match;
  };
  // As follow() wants them.
  [[nodiscard]] BOBBIN_HD static OwnRuns runs_of(const TileSequence& lane, const Extent& extent) {
    const uint32_t start = extent.head + lane.start;
    return {Run::pack(Run::literals, lane.literal - start),
            is_inside(lane) ? Run::pack(Run::inside, lane.offset, start + lane.literals)
                            : Run::pack(Run::output, extent.origin - lane.offset)};
  }

  // Marks the runs of a tile. The tile's words may be gathered afterwards.
  template <class Cta>
  BOBBIN_HD static void list(Cta& cta, Shared& shared, const TileSequence& lane, uint32_t taken,
                             const Extent& extent, const OwnRuns& own) {
    const uint32_t rank = Members::rank(cta);
    const uint32_t start = extent.head + lane.start;
    const uint32_t match = start + lane.literals;
    cta.store(shared.starts, rank, uint32_t{0});
    Members::sync(cta);
    if (rank < taken) {
      mark(cta, shared, extent.bit_of(start));  // with no literals, the match's start
      mark(cta, shared, extent.bit_of(match));
    }
    Members::sync(cta);
    const uint32_t starts = cta.load(shared.starts, rank);
    const uint32_t before =
        Members::sum_before(cta, shared.team, static_cast<uint32_t>(std::popcount(starts)));
    cta.store(shared.index, rank, starts | uint64_t{before} << 32);
    Members::sync(cta);
    if (rank < taken) {
      if (lane.literals != 0) {
        cta.store(shared.runs, run_at(cta, shared, extent.bit_of(start)), own.literals);
      }
      cta.store(shared.runs, run_at(cta, shared, extent.bit_of(match)), own.match);
    }
    Members::sync(cta);
  }
  // Whether a match reaches into its own tile.
  [[nodiscard]] BOBBIN_HD static bool is_inside(const TileSequence& lane) { return lane.offset < lane.end; }

  // Where a byte comes from: a run, and a position that is counted as in the tile.
  struct Source {
    uint64_t run = 0;
    uint32_t j = 0;

    [[nodiscard]] BOBBIN_HD bool is_literal() const { return Run::source(run) == Run::literals; }
    [[nodiscard]] BOBBIN_HD uint32_t at() const { return Run::first(run) + j; }
  };

  // The runs of word w's bytes; those of bytes outside the tile are the nearest ones.
  template <class Cta>
  BOBBIN_HD static void find(Cta& cta, const Shared& shared, uint32_t w, Source (&sources)[4]) {
    const uint64_t entry = cta.load(shared.index, w / 8);
    const uint32_t shift = w % 8 * 4;
    const uint32_t first_run = run_in(entry, shift);
    const uint32_t starts = static_cast<uint32_t>(entry) >> shift;
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < 4; ++b) {
      const uint32_t later = starts & ((uint32_t{2} << b) - 2);
      const uint32_t run = first_run + static_cast<uint32_t>(std::popcount(later));
      sources[b] = {cta.load(shared.runs, run), 4 * w + b};
    }
  }

  // Through matches inside the tile. Their sources lie before their starts, so this ends.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Source follow(Cta& cta, const Shared& shared, const Extent& extent,
                                               Source source) {
    while (Run::source(source.run) == Run::inside) {
      const uint32_t start = Run::start(source.run);
      const uint32_t back = distance(Run::first(source.run), source.j - start);
      source.j = start - back;
      source.run = back > start - extent.head ? Run::pack(Run::output, extent.origin)
                                              : cta.load(shared.runs, run_at(cta, shared, source.j));
    }
    return source;
  }

  // From a match's start back to the source of its i-th byte: 1 or more, since matches may overlap
  // themselves.
  [[nodiscard]] BOBBIN_HD static uint32_t distance(uint32_t offset, uint32_t i) {
    return offset - (i < offset ? i : i % offset);
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

  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Shared& shared, uint32_t j) {
    cta.template atomic_or<simt::Order::relaxed>(shared.starts, j / 32, uint32_t{1} << (j % 32));
  }

  // The number of the run that the byte at `j` belongs to.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t run_at(Cta& cta, const Shared& shared, uint32_t j) {
    return run_in(cta.load(shared.index, j / 32), j % 32);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t run_in(uint64_t entry, uint32_t bit) {
    const uint32_t up_to_own = ~uint32_t{0} >> (31 - bit);
    return static_cast<uint32_t>(entry >> 32) +
           static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(entry) & up_to_own)) - 1;
  }
};

}  // namespace bobbin::zstd
