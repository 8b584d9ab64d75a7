// SPDX-License-Identifier: Apache-2.0
// The copies. A team of warps goes through a frame, as many sequences at a time as it has threads, or 32
// bytes for each. Each byte of such a tile finds its run (literals or a match) by a bitmap of run starts, and
// is one load, from the literals or from the output before the tile. Matches that reach into the tile itself
// are few in the tile of one warp, which copies them afterwards, one after another, in shared memory. In the
// larger tile of several warps they are many: there, each byte follows them until their source is outside.
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
  // Copies wait for memory. With a warp per frame, 48 warps per SM are faster than 64 that spill registers.
  static constexpr uint32_t kMinBlocks = kTeamWarps == 1 ? 12 : 4;
  static constexpr bool kInOrder = kTeamWarps == 1;  // how matches inside the tile are copied
  static constexpr uint32_t kWords = kTeam;          // of the bitmap: one per thread
  static constexpr uint32_t kTile = 32 * kWords;

  struct Tile {
    simt::Shared<uint32_t, kWords> starts;  // a bit where a run begins
    simt::Shared<uint64_t, kWords> index;   // the same, and above it the runs that begin earlier
    simt::Shared<uint64_t, 2 * kTeam> runs;
    simt::Shared<uint64_t, kInOrder ? kTeam : 1> insides;  // matches that reach into the tile
    simt::Shared<uint32_t, kTile / 4> words;               // the tile's content, from an aligned address
    simt::Shared<uint32_t, 4> recent;                      // offsets before the block
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

  // A match of a tile.
  struct Match {
    [[nodiscard]] BOBBIN_HD static uint64_t pack(uint32_t start, uint32_t length, uint32_t offset) {
      return start | length << 16 | uint64_t{offset} << 32;
    }
    [[nodiscard]] BOBBIN_HD static uint32_t start(uint64_t match) { return match & 0xffff; }
    [[nodiscard]] BOBBIN_HD static uint32_t length(uint64_t match) { return match >> 16 & 0xffff; }
    [[nodiscard]] BOBBIN_HD static uint32_t offset(uint64_t match) {
      return static_cast<uint32_t>(match >> 32);
    }
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
    const Extent extent{.head = head,
                        .end = head + survey.end,
                        .origin = begin - head,  // may wrap, and wraps back
                        .first_word = (output.skew + begin) / 4};
    const uint32_t insides = list_runs(cta, tile, lane, survey.taken, extent);
    for (uint32_t w = Members::rank(cta); 4 * w < extent.end; w += kTeam) {
      cta.store(tile.words, w, gather_word(cta, tile, output, extent, w, literals));
    }
    Members::sync(cta);
    if constexpr (kInOrder) {
      copy_insides(cta, tile, output, extent, insides);
    }
    write_tile(cta, tile, output, extent);
    Members::sync(cta);
  }

  // Where a tile lies: its first byte and the one after its last, counted from an aligned one, `origin`.
  struct Extent {
    uint32_t head;
    uint32_t end;
    uint32_t origin;
    uint32_t first_word;

    [[nodiscard]] BOBBIN_HD bool has(uint32_t j) const { return j >= head && j < end; }
    // The first run's bits begin with the word, so that every byte of it belongs to a run.
    [[nodiscard]] BOBBIN_HD uint32_t bit_of(uint32_t start) const { return start == head ? 0 : start; }
  };

  // Where a byte comes from: a run, and a position that is counted as in the tile.
  struct Source {
    uint64_t run;
    uint32_t j;
  };

  // A word of the tile; bytes that copy_insides() writes later, or nobody, are any. Sources first, then
  // loads: they do not wait for each other.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t gather_word(Cta& cta, const Tile& tile, const Output& output,
                                                      const Extent& extent, uint32_t w,
                                                      const Literals& literals) {
    const uint64_t entry = cta.load(tile.index, w / 8);
    const uint32_t shift = w % 8 * 4;
    const uint32_t first_run = run_in(entry, shift);
    const uint32_t starts = static_cast<uint32_t>(entry) >> shift;
    Source sources[4];
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < 4; ++b) {
      const uint32_t later = starts & ((uint32_t{2} << b) - 2);
      const uint32_t run = first_run + static_cast<uint32_t>(std::popcount(later));
      sources[b] = source_of(cta, tile, extent, {cta.load(tile.runs, run), 4 * w + b});
    }
    uint32_t word = 0;
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < 4; ++b) {
      word |= fetch(cta, output, literals, sources[b]) << (8 * b);
    }
    return word;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Source source_of(Cta& cta, const Tile& tile, const Extent& extent,
                                                  Source source) {
    const Source any{Run::pack(Run::output, extent.origin), extent.head};
    if (!extent.has(source.j)) {
      return any;
    }
    if (kInOrder) {
      return Run::source(source.run) == Run::inside ? any : source;
    }
    return follow(cta, tile, extent, source);
  }

  // Through matches inside the tile. Their sources lie before their starts, so this ends.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Source follow(Cta& cta, const Tile& tile, const Extent& extent,
                                               Source source) {
    while (Run::source(source.run) == Run::inside) {
      const uint32_t start = Run::start(source.run);
      const uint32_t back = distance(Run::first(source.run), source.j - start);
      source.j = start - back;
      source.run = back > start - extent.head ? Run::pack(Run::output, extent.origin)
                                              : cta.load(tile.runs, run_at(cta, tile, source.j));
    }
    return source;
  }

  // From a match's start back to the source of its i-th byte: 1 or more, since matches may overlap
  // themselves.
  [[nodiscard]] BOBBIN_HD static uint32_t distance(uint32_t offset, uint32_t i) {
    return offset - (i < offset ? i : i % offset);
  }

  // One load for either kind, so that lanes stay together.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t fetch(Cta& cta, const Output& output, const Literals& literals,
                                                const Source& source) {
    const bool literal = Run::source(source.run) == Run::literals;
    const uint32_t at = Run::first(source.run) + source.j;
    const Global<const uint8_t> from = literals.bytes;
    const Global<uint8_t> bytes{literal ? const_cast<uint8_t*>(from.data) : output.bytes.data,
                                literal ? from.size : output.bytes.size};
    return cta.load(bytes, literal ? at & literals.mask : at);
  }

  using Bytes = simt::Shared<uint8_t, kTile>;
  [[nodiscard]] BOBBIN_HD static Bytes& bytes_of(Tile& tile) { return simt::seen_as<Bytes>(tile.words); }

  // In the order of the sequences: what one reads, those before it have written.
  template <class Cta>
  BOBBIN_HD static void copy_insides(Cta& cta, Tile& tile, const Output& output, const Extent& extent,
                                     uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      copy_inside(cta, tile, output, extent, cta.load(tile.insides, i));
      cta.sync_warp();
    }
  }
  template <class Cta>
  BOBBIN_HD static void copy_inside(Cta& cta, Tile& tile, const Output& output, const Extent& extent,
                                    uint64_t match) {
    Bytes& bytes = bytes_of(tile);
    const uint32_t start = Match::start(match);
    for (uint32_t i = cta.lane(); i < Match::length(match); i += simt::kWarpSize) {
      const uint32_t back = distance(Match::offset(match), i);
      const uint8_t byte = back > start - extent.head ? cta.load(output.bytes, extent.origin + start - back)
                                                      : cta.load(bytes, start - back);
      cta.store(bytes, start + i, byte);
    }
  }

  template <class Cta>
  BOBBIN_HD static void write_tile(Cta& cta, Tile& tile, const Output& output, const Extent& extent) {
    const uint32_t rank = Members::rank(cta);
    for (uint32_t w = rank; 4 * w < extent.end; w += kTeam) {
      if (4 * w >= extent.head && 4 * w + 4 <= extent.end) {
        cta.store(output.words, extent.first_word + w, cta.load(tile.words, w));
      }
    }
    // Bytes of words that are shared with what is before and after the tile.
    if (rank < 8) {
      const uint32_t j = rank < 4 ? rank : extent.end / 4 * 4 + rank - 4;
      const bool partial = rank < 4 ? extent.head != 0 : j >= 4 || extent.head == 0;
      if (partial && extent.has(j)) {
        cta.store(output.bytes, extent.origin + j, cta.load(bytes_of(tile), j));
      }
    }
  }

  // Returns the number of matches that are listed for copy_insides().
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t list_runs(Cta& cta, Tile& tile, const Lane& lane, uint32_t taken,
                                                    const Extent& extent) {
    const uint32_t rank = Members::rank(cta);
    const uint32_t start = extent.head + lane.start;
    const uint32_t match = start + lane.literals;
    const bool inside = rank < taken && lane.offset < lane.end;
    cta.store(tile.starts, rank, uint32_t{0});
    const uint32_t insides = kInOrder ? list_inside(cta, tile, inside, lane, match) : 0;
    Members::sync(cta);
    if (rank < taken) {
      mark(cta, tile, extent.bit_of(start));  // with no literals, the match's start
      mark(cta, tile, extent.bit_of(match));
    }
    Members::sync(cta);
    const uint32_t starts = cta.load(tile.starts, rank);
    const uint32_t before = Members::sum_before(cta, tile.team, static_cast<uint32_t>(std::popcount(starts)));
    cta.store(tile.index, rank, starts | uint64_t{before} << 32);
    Members::sync(cta);
    if (rank < taken) {
      if (lane.literals != 0) {
        cta.store(tile.runs, run_at(cta, tile, extent.bit_of(start)),
                  Run::pack(Run::literals, lane.literal - start));
      }
      cta.store(tile.runs, run_at(cta, tile, extent.bit_of(match)),
                inside ? Run::pack(Run::inside, lane.offset, match)
                       : Run::pack(Run::output, extent.origin - lane.offset));
    }
    Members::sync(cta);
    return insides;
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t list_inside(Cta& cta, Tile& tile, bool inside, const Lane& lane,
                                                      uint32_t match) {
    const uint32_t all = cta.ballot(inside);
    if (inside) {
      const auto place = static_cast<uint32_t>(std::popcount(all & ((uint32_t{1} << cta.lane()) - 1)));
      const uint32_t length = lane.end - lane.start - lane.literals;
      cta.store(tile.insides, place, Match::pack(match, length, lane.offset));
    }
    return static_cast<uint32_t>(std::popcount(all));
  }
  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Tile& tile, uint32_t j) {
    cta.template atomic_or<simt::Order::relaxed>(tile.starts, j / 32, uint32_t{1} << (j % 32));
  }

  // The number of the run that the byte at `j` belongs to.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t run_at(Cta& cta, const Tile& tile, uint32_t j) {
    return run_in(cta.load(tile.index, j / 32), j % 32);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t run_in(uint64_t entry, uint32_t bit) {
    const uint32_t up_to_own = ~uint32_t{0} >> (31 - bit);
    return static_cast<uint32_t>(entry >> 32) +
           static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(entry) & up_to_own)) - 1;
  }
};

}  // namespace bobbin::zstd
