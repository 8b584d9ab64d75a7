// SPDX-License-Identifier: Apache-2.0
// The copies. A team of warps goes through a frame, as many sequences at a time as it has threads, or 32
// bytes for each. Each byte of such a tile finds its run (literals or a match) by a bitmap of run starts, and
// follows matches until their source is before the tile or among the literals: then it is one load. No byte
// waits for another of its tile.
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

template <uint32_t kTeamWarps>
struct ExecuteKernel {
  using Members = Team<kTeamWarps>;
  static constexpr uint32_t kTeam = Members::kThreads;
  static constexpr uint32_t kThreads = kTeam < 128 ? 128 : kTeam;
  static constexpr uint32_t kTeams = kThreads / kTeam;
  // Copies wait for memory: a warp per frame needs all warps that an SM can hold, and spills for it.
  static constexpr uint32_t kMinBlocks = kTeamWarps == 1 ? 16 : 4;
  static constexpr uint32_t kWords = kTeam;  // of the bitmap: one per thread
  static constexpr uint32_t kTile = 32 * kWords;

  struct Tile {
    simt::Shared<uint32_t, kWords> starts;  // a bit where a run begins
    simt::Shared<uint64_t, kWords> index;   // the same, and above it the runs that begin earlier
    simt::Shared<uint64_t, 2 * kTeam> runs;
    simt::Shared<uint32_t, 4> recent;  // offsets before the block
    typename Members::Shared team;
  };
  struct Shared {
    Tile tiles[kTeams];
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span frames = slice.span(cta, Divided::frames, round);
    Tile& tile = cta.template shared<Shared>().tiles[cta.thread() / kTeam];
    while (true) {
      const uint32_t frame = frames.begin + Members::agree(cta, tile.team, [&] { return ticket(cta); });
      if (frame >= frames.end) {
        return;
      }
      Members::sync(cta);
      if (cta.all(slice.is_ok(cta, frame))) {
        decode_frame(cta, tile, frame);
      }
    }
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t ticket(Cta& cta) const {
    return cta.template atomic_add<simt::Order::relaxed>(
        slice.tickets, round * kTickets + static_cast<uint32_t>(Ticket::execute), uint32_t{1});
  }

  template <class Cta>
  BOBBIN_HD void decode_frame(Cta& cta, Tile& tile, uint32_t index) const {
    FrameInfo info = cta.load(slice.infos, index);
    const Verdict verdict = run_frame(cta, tile, index, info);
    Members::sync(cta);  // all have read what the frame's information was
    if (Members::rank(cta) == 0) {
      cta.store(slice.infos, index, info);
      slice.refuse(cta, index, verdict);
    }
  }

  struct Output {
    Global<uint8_t> bytes{};
    Global<uint32_t> words{};  // the same, from the aligned address before
    uint32_t skew = 0;
  };

  // A block's literals: `mask` is 0 where one byte is repeated.
  struct Literals {
    Global<const uint8_t> bytes{};
    uint32_t mask = ~uint32_t{0};

    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t at(Cta& cta, uint32_t i) const {
      return cta.load(bytes, i & mask);
    }
  };

  // A run of a tile. Literals: where the tile's first byte would be among them. A match: its offset.
  struct Run {
    [[nodiscard]] BOBBIN_HD static uint64_t pack(uint32_t start, bool is_match, uint32_t value) {
      return start | (is_match ? uint64_t{1} << 31 : 0) | uint64_t{value} << 32;
    }
    [[nodiscard]] BOBBIN_HD static uint32_t start(uint64_t run) { return run & 0xffff; }
    [[nodiscard]] BOBBIN_HD static bool is_match(uint64_t run) { return (run >> 31 & 1) != 0; }
    [[nodiscard]] BOBBIN_HD static uint32_t value(uint64_t run) { return static_cast<uint32_t>(run >> 32); }
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Verdict run_frame(Cta& cta, Tile& tile, uint32_t index, FrameInfo& info) const {
    const BatchFrame frame = slice.frame(cta, index);
    const auto capacity = static_cast<uint32_t>(frame.out_bytes);
    const auto blocks = slice.part<Block>(info, Region::of(info).blocks, info.num_blocks);
    const auto out = ByteWords<uint32_t>::of(frame.out, capacity);
    const Output output{{reinterpret_cast<uint8_t*>(frame.out), capacity}, out.words, out.skew};
    const Global<const uint8_t> in{reinterpret_cast<const uint8_t*>(frame.in), frame.in_bytes};
    keep_recent(cta, tile, Recent::at_frame_start());
    uint32_t produced = 0;
    for (uint32_t b = 0; b < info.num_blocks; ++b) {
      const Block block = cta.load(blocks, b);
      const bool compressed = block.kind() == 2;
      const bool ready = compressed && block.sequences != 0;
      const uint32_t bytes = compressed && !ready ? block.num_literals() : block.size;
      if (bytes > capacity - produced) {
        return Verdict::too_small;
      }
      if (!ready) {
        copy_literals(cta, output, produced, bytes, literals_of(info, in, block), 0);
        Members::sync(cta);
      } else if (!run_block(cta, tile, output, produced, info, in, ready_block(block))) {
        return Verdict::corrupt;
      }
      produced += bytes;
    }
    info.bytes = produced;
    return info.content == FrameInfo::kNoContent || info.content == produced ? Verdict::ok : Verdict::corrupt;
  }

  // What values left where the block was.
  [[nodiscard]] BOBBIN_HD static ReadyBlock ready_block(const Block& block) {
    return std::bit_cast<ReadyBlock>(block);
  }

  // Of a block without sequences. All bytes of a raw or repeated one count as literals.
  [[nodiscard]] BOBBIN_HD Literals literals_of(const FrameInfo& info, Global<const uint8_t> in,
                                               const Block& block) const {
    if (block.kind() != 2) {
      return {{in.data + block.at, in.size - block.at}, block.kind() == 1 ? 0 : ~uint32_t{0}};
    }
    return literals_of(info, in, block.literals,
                       block.has_huffman() ? block.literals_begin : block.literals_at);
  }
  [[nodiscard]] BOBBIN_HD Literals literals_of(const FrameInfo& info, Global<const uint8_t> in,
                                               uint32_t kinds, uint32_t from) const {
    Block of_kind{};
    of_kind.literals = kinds;
    const auto decoded = slice.part<const uint8_t>(info, Region::of(info).literals, info.literals);
    const Global<const uint8_t> all = of_kind.has_huffman() ? decoded : in;
    return {{all.data + from, all.size - from}, of_kind.literal_kind() == 1 ? 0 : ~uint32_t{0}};
  }

  template <class Cta>
  BOBBIN_HD static void keep_recent(Cta& cta, Tile& tile, const Recent& recent) {
    if (Members::rank(cta) == 0) {
      for (uint32_t i = 0; i < 3; ++i) {
        cta.store(tile.recent, i, recent.slot[i]);
      }
    }
    Members::sync(cta);
  }

  // False where an offset reaches too far.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_block(Cta& cta, Tile& tile, const Output& output, uint32_t produced,
                                         const FrameInfo& info, Global<const uint8_t> in,
                                         const ReadyBlock& block) const {
    const auto records = slice.part<uint64_t>(info, Region::of(info).sequences, info.sequences);
    const Literals literals = literals_of(info, in, block.literals, block.literals_from);
    const uint32_t last = block.sequences_begin + block.sequences;
    uint32_t place = 0;
    for (uint32_t first = block.sequences_begin; first < last;) {
      const uint32_t i = first + Members::rank(cta);
      const uint64_t own = cta.load(records, i < last ? i : last);
      const uint64_t next = cta.load(records, i < last ? i + 1 : last);
      const Lane lane{.literal = Copy::literal(own),
                      .literals = Copy::literal(next) - Copy::literal(own),
                      .start = Copy::place(own) - place,
                      .end = Copy::place(next) - place,
                      .offset = offset_of(cta, tile, Copy::slot(own))};
      const uint32_t before = produced + Copy::place(own) + lane.literals;
      const uint32_t reach = before < info.window ? before : info.window;
      const auto survey = Members::survey(cta, tile.team, i < last && lane.end + 3 <= kTile, lane.end,
                                          i < last && lane.offset - 1 >= reach);
      if (survey.damaged) {
        return false;
      }
      if (survey.taken == 0) {
        copy_long(cta, tile, output, produced, literals, records, first);
        place = Copy::place(cta.load(records, first + 1));
        first += 1;
      } else {
        copy_tile(cta, tile, output, produced + place, lane, survey, literals);
        place += survey.end;
        first += survey.taken;
      }
    }
    const uint32_t used = Copy::literal(cta.load(records, last));
    const uint32_t rest = low_bits(block.literals, Block::kCountBits) - used;
    copy_literals(cta, output, produced + place, rest, literals, used);
    const Recent recent{{block.first_recent, block.second_recent, block.third_recent}};
    const Recent older{{cta.load(tile.recent, 0), cta.load(tile.recent, 1), cta.load(tile.recent, 2)}};
    Members::sync(cta);
    keep_recent(cta, tile, recent.after(older));
    return true;
  }

  // An offset that was a recent one before the block is looked up.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t offset_of(Cta& cta, const Tile& tile, uint32_t slot) {
    if ((slot & Recent::kOld) == 0) {
      return slot;
    }
    return cta.load(tile.recent, slot >> Recent::kSlot & 3) - low_bits(slot, Recent::kSlot);
  }

  // A lane's sequence in a tile.
  struct Lane {
    uint32_t literal;   // its first one
    uint32_t literals;  // how many
    uint32_t start;
    uint32_t end;
    uint32_t offset;
  };

  // Writes bytes begin .. begin+count-1; byte_at(j) is the j-th of them. Whole words where it can.
  template <class Cta, class ByteAt>
  BOBBIN_HD static void write(Cta& cta, const Output& output, uint32_t begin, uint32_t count,
                              ByteAt&& byte_at) {
    const uint32_t head = (output.skew + begin) % 4;
    const uint32_t first_word = (output.skew + begin) / 4;
    for (uint32_t w = Members::rank(cta); 4 * w < head + count; w += kTeam) {
      const uint32_t j = 4 * w - head;  // of the word's first byte; wraps for the first word
      if (4 * w >= head && j + 4 <= count) {
        uint32_t word = 0;
        BOBBIN_UNROLL
        for (uint32_t b = 0; b < 4; ++b) {
          word |= byte_at(j + b) << (8 * b);
        }
        cta.store(output.words, first_word + w, word);
      } else {
        for (uint32_t b = 0; b < 4; ++b) {
          if (4 * w + b >= head && j + b < count) {
            cta.store(output.bytes, begin + j + b, static_cast<uint8_t>(byte_at(j + b)));
          }
        }
      }
    }
  }

  template <class Cta>
  BOBBIN_HD static void copy_literals(Cta& cta, const Output& output, uint32_t begin, uint32_t count,
                                      const Literals& literals, uint32_t first) {
    write(cta, output, begin, count, [&](uint32_t j) { return literals.at(cta, first + j); });
  }

  // One sequence, which is longer than a tile.
  template <class Cta>
  BOBBIN_HD static void copy_long(Cta& cta, const Tile& tile, const Output& output, uint32_t produced,
                                  const Literals& literals, Global<uint64_t> records, uint32_t index) {
    const uint64_t own = cta.load(records, index);
    const uint64_t next = cta.load(records, index + 1);
    const uint32_t offset = offset_of(cta, tile, Copy::slot(own));
    const uint32_t begin = produced + Copy::place(own);
    const uint32_t count = Copy::literal(next) - Copy::literal(own);
    const uint32_t match = Copy::place(next) - Copy::place(own) - count;
    copy_literals(cta, output, begin, count, literals, Copy::literal(own));
    Members::sync(cta);
    const uint32_t from = begin + count - offset;
    write(cta, output, begin + count, match,
          [&](uint32_t j) { return uint32_t{cta.load(output.bytes, from + (j < offset ? j : j % offset))}; });
    Members::sync(cta);
  }

  template <class Cta>
  BOBBIN_HD static void copy_tile(Cta& cta, Tile& tile, const Output& output, uint32_t begin,
                                  const Lane& lane, const typename Members::Survey& survey,
                                  const Literals& literals) {
    // Tiles are counted from an aligned address, so that the four bytes of a word lie in one bitmap word.
    const uint32_t head = (output.skew + begin) % 4;
    list_runs(cta, tile, lane, survey.taken, head);
    const uint32_t end = head + survey.end;
    const uint32_t first_word = (output.skew + begin) / 4;
    const uint32_t origin = begin - head;  // may wrap, and wraps back
    for (uint32_t w = Members::rank(cta); 4 * w < end; w += kTeam) {
      write_word(cta, tile, output, {head, end, origin, first_word}, w, literals);
    }
    Members::sync(cta);
  }

  // Where a tile lies: its first byte and the one after its last, counted from an aligned one, `origin`.
  struct Extent {
    uint32_t head;
    uint32_t end;
    uint32_t origin;
    uint32_t first_word;
  };

  // Four sources first, then four loads: they do not wait for each other.
  template <class Cta>
  BOBBIN_HD static void write_word(Cta& cta, const Tile& tile, const Output& output, const Extent& extent,
                                   uint32_t w, const Literals& literals) {
    uint32_t source[4];
    const uint32_t j = 4 * w;
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < 4; ++b) {
      const uint32_t in_tile = j + b < extent.head  ? extent.head
                               : j + b < extent.end ? j + b
                                                    : extent.end - 1;
      source[b] = trace(cta, tile, extent, in_tile);
    }
    uint32_t word = 0;
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < 4; ++b) {
      word |= fetch(cta, output, literals, source[b]) << (8 * b);
    }
    if (j >= extent.head && j + 4 <= extent.end) {
      cta.store(output.words, extent.first_word + w, word);
      return;
    }
    for (uint32_t b = 0; b < 4; ++b) {
      if (j + b >= extent.head && j + b < extent.end) {
        cta.store(output.bytes, extent.origin + j + b, static_cast<uint8_t>(word >> (8 * b)));
      }
    }
  }

  // A source is a place in the output, or with this bit one among the literals.
  static constexpr uint32_t kLiteralSource = uint32_t{1} << 31;

  // One load for either kind, so that lanes stay together.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t fetch(Cta& cta, const Output& output, const Literals& literals,
                                                uint32_t source) {
    const bool literal = (source & kLiteralSource) != 0;
    const Global<const uint8_t> from = literals.bytes;
    const Global<uint8_t> bytes{literal ? const_cast<uint8_t*>(from.data) : output.bytes.data,
                                literal ? from.size : output.bytes.size};
    return cta.load(bytes, literal ? source & literals.mask & ~kLiteralSource : source);
  }

  template <class Cta>
  BOBBIN_HD static void list_runs(Cta& cta, Tile& tile, const Lane& lane, uint32_t taken, uint32_t head) {
    const uint32_t rank = Members::rank(cta);
    const uint32_t start = head + lane.start;
    const uint32_t match = start + lane.literals;
    cta.store(tile.starts, rank, uint32_t{0});
    Members::sync(cta);
    if (rank < taken) {
      mark(cta, tile, start);  // with no literals, the match's start
      mark(cta, tile, match);
    }
    Members::sync(cta);
    const uint32_t starts = cta.load(tile.starts, rank);
    const uint32_t before = Members::sum_before(cta, tile.team, static_cast<uint32_t>(std::popcount(starts)));
    cta.store(tile.index, rank, starts | uint64_t{before} << 32);
    Members::sync(cta);
    if (rank < taken) {
      if (lane.literals != 0) {
        cta.store(tile.runs, run_at(cta, tile, start), Run::pack(start, false, lane.literal - start));
      }
      cta.store(tile.runs, run_at(cta, tile, match), Run::pack(match, true, lane.offset));
    }
    Members::sync(cta);
  }
  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Tile& tile, uint32_t j) {
    cta.template atomic_or<simt::Order::relaxed>(tile.starts, j / 32, uint32_t{1} << (j % 32));
  }

  // The number of the run that the byte at `j` belongs to.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t run_at(Cta& cta, const Tile& tile, uint32_t j) {
    const uint64_t entry = cta.load(tile.index, j / 32);
    const uint32_t up_to_own = ~uint32_t{0} >> (31 - j % 32);
    return static_cast<uint32_t>(entry >> 32) +
           static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(entry) & up_to_own)) - 1;
  }

  // Where the byte at `j` comes from. A match's source lies before its start, so this ends.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t trace(Cta& cta, const Tile& tile, const Extent& extent,
                                                uint32_t j) {
    while (true) {
      const uint64_t run = cta.load(tile.runs, run_at(cta, tile, j));
      const uint32_t value = Run::value(run);
      if (!Run::is_match(run)) {
        return (j + value) | kLiteralSource;
      }
      const uint32_t start = Run::start(run);
      const uint32_t into = j - start;
      const uint32_t back = value - (into < value ? into : into % value);  // 1 or more
      j = start - back;
      if (back > start || j < extent.head) {
        return extent.origin + j;  // before the tile
      }
    }
  }
};

}  // namespace bobbin::zstd
