// SPDX-License-Identifier: Apache-2.0
// The runs of a tile of several warps: each byte finds its own (literals or a match) by a bitmap of run
// starts.
#pragma once

#include "codecs/zstd/copy_runs.hpp"

namespace bobbin::zstd {

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

template <uint32_t kTeamWarps>
struct RunTable {
  using Members = Team<kTeamWarps>;
  static constexpr uint32_t kTeam = Members::kThreads;
  static constexpr uint32_t kWords = kTeam;  // of the bitmap: one per thread

  struct Shared {
    simt::Shared<uint32_t, kWords> starts;  // a bit where a run begins
    simt::Shared<uint64_t, kWords> index;   // the same, and above it the runs that begin earlier
    simt::Shared<uint64_t, 2 * kTeam> runs;
    typename Members::Shared team;
  };

  // Marks the runs of a tile. The tile's words may be gathered afterwards.
  template <class Cta>
  BOBBIN_HD static void list(Cta& cta, Shared& shared, const TileSequence& lane, uint32_t taken,
                             const Extent& extent) {
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
        cta.store(shared.runs, run_at(cta, shared, extent.bit_of(start)),
                  Run::pack(Run::literals, lane.literal - start));
      }
      cta.store(shared.runs, run_at(cta, shared, extent.bit_of(match)),
                lane.is_inside() ? Run::pack(Run::inside, lane.offset, match)
                                 : Run::pack(Run::output, extent.origin - lane.offset));
    }
    Members::sync(cta);
  }

  // Where a byte comes from: a run, and a position that is counted as in the tile.
  struct Source {
    uint64_t run = 0;
    uint32_t j = 0;

    [[nodiscard]] BOBBIN_HD bool is_literal() const { return Run::source(run) == Run::literals; }
    [[nodiscard]] BOBBIN_HD uint32_t at() const { return Run::first(run) + j; }
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Source find(Cta& cta, const Shared& shared, uint32_t j) {
    return {cta.load(shared.runs, run_at(cta, shared, j)), j};
  }
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

 private:
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
