// SPDX-License-Identifier: Apache-2.0
// The copies. A warp goes through a frame, up to 32 sequences or 1 KiB at a time. Each byte of such a tile
// finds its run (literals or a match) by a bitmap of run starts, and follows matches until their source is
// before the tile or among the literals: then it is one load. No byte waits for another of its tile.
#pragma once

#include "codecs/zstd/measure_kernel.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::zstd {

struct ExecuteKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 16;  // copies wait for memory; 32 registers spill 8 bytes
  static constexpr uint32_t kTile = 1024;
  static constexpr uint32_t kWords = kTile / 32;
  static_assert(kWords == simt::kWarpSize, "a lane has one word of the bitmap");

  struct Tile {
    simt::Shared<uint32_t, kWords> starts;  // a bit where a run begins
    simt::Shared<uint64_t, kWords> index;   // the same, and above it the runs that begin earlier
    simt::Shared<uint64_t, 2 * simt::kWarpSize> runs;
  };
  struct Shared {
    Tile warps[kWarps];
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span frames = slice.span(cta, Divided::frames, round);
    while (true) {
      const uint32_t frame = frames.begin + take_ticket(cta, slice, round, Ticket::execute);
      if (frame >= frames.end) {
        return;
      }
      if (cta.all(slice.is_ok(cta, frame))) {
        run_frame(cta, frame, cta.load(slice.infos, frame));
      }
    }
  }

 private:
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
  BOBBIN_HD void run_frame(Cta& cta, uint32_t index, const FrameInfo& info) const {
    const BatchFrame frame = slice.frame(cta, index);
    const Region region = Region::of(info);
    const auto blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    const auto records = slice.part<uint64_t>(info, region.sequences, info.sequences);
    const Global<const uint8_t> in{reinterpret_cast<const uint8_t*>(frame.in), frame.in_bytes};
    const auto out = ByteWords<uint32_t>::of(frame.out, info.bytes);
    const Output output{{reinterpret_cast<uint8_t*>(frame.out), info.bytes}, out.words, out.skew};
    uint32_t produced = 0;
    for (uint32_t b = 0; b < info.num_blocks; ++b) {
      const Block block = cta.load(blocks, b);
      if (block.kind() != 2) {
        const Literals stored{{in.data + block.at, in.size - block.at}, block.kind() == 1 ? 0 : ~uint32_t{0}};
        copy_literals(cta, output, produced, block.size, stored, 0);
        cta.sync_warp();
        produced += block.size;
        continue;
      }
      Literals literals{{in.data + block.literals_at, in.size - block.literals_at},
                        block.literal_kind() == 1 ? 0 : ~uint32_t{0}};
      if (block.has_huffman()) {
        const auto decoded = slice.part<const uint8_t>(info, region.literals, info.literals);
        literals.bytes = {decoded.data + block.literals_begin, decoded.size - block.literals_begin};
      }
      produced += run_block(cta, output, produced, block, literals, records);
    }
  }

  // Returns the content's bytes.
  template <class Cta>
  BOBBIN_HD uint32_t run_block(Cta& cta, const Output& output, uint32_t produced, const Block& block,
                               const Literals& literals, Global<uint64_t> records) const {
    uint32_t literal = 0;
    uint32_t place = 0;
    for (uint32_t first = 0; first < block.sequences;) {
      const uint32_t i = first + cta.lane();
      const uint32_t last = block.sequences;
      const uint64_t own = cta.load(records, block.sequences_begin + (i < last ? i : last));
      const uint64_t next = cta.load(records, block.sequences_begin + (i < last ? i + 1 : last));
      const uint32_t base = cta.shfl(Copy::place(own), 0);
      const Lane lane{.literal = Copy::literal(own),
                      .literals = Copy::literal(next) - Copy::literal(own),
                      .start = Copy::place(own) - base,
                      .end = Copy::place(next) - base,
                      .offset = Copy::offset(own)};
      const auto taken = static_cast<uint32_t>(std::popcount(cta.ballot(i < last && lane.end + 3 <= kTile)));
      if (taken == 0) {
        copy_long(cta, output, produced + base, lane, literals);
      } else {
        copy_tile(cta, output, produced + base, lane, taken, literals);
      }
      first += taken == 0 ? 1 : taken;
      literal = Copy::literal(next);
      place = Copy::place(next);
    }
    // All lanes past the last sequence have the record after it.
    literal = cta.shfl(literal, simt::kWarpSize - 1);
    place = cta.shfl(place, simt::kWarpSize - 1);
    const uint32_t rest = block.num_literals() - literal;
    copy_literals(cta, output, produced + place, rest, literals, literal);
    cta.sync_warp();
    return place + rest;
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
    for (uint32_t w = cta.lane(); 4 * w < head + count; w += simt::kWarpSize) {
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

  // The first lane's sequence, which is longer than a tile.
  template <class Cta>
  BOBBIN_HD static void copy_long(Cta& cta, const Output& output, uint32_t begin, const Lane& lane,
                                  const Literals& literals) {
    const uint32_t count = cta.shfl(lane.literals, 0);
    const uint32_t match = cta.shfl(lane.end, 0) - count;
    const uint32_t offset = cta.shfl(lane.offset, 0);
    copy_literals(cta, output, begin, count, literals, cta.shfl(lane.literal, 0));
    cta.sync_warp();
    const uint32_t from = begin + count - offset;
    write(cta, output, begin + count, match,
          [&](uint32_t j) { return uint32_t{cta.load(output.bytes, from + (j < offset ? j : j % offset))}; });
    cta.sync_warp();
  }

  template <class Cta>
  BOBBIN_HD static void copy_tile(Cta& cta, const Output& output, uint32_t begin, const Lane& lane,
                                  uint32_t taken, const Literals& literals) {
    Tile& tile = cta.template shared<Shared>().warps[cta.warp()];
    // Tiles are counted from an aligned address, so that the four bytes of a word lie in one bitmap word.
    const uint32_t head = (output.skew + begin) % 4;
    list_runs(cta, tile, lane, taken, head);
    const uint32_t end = head + cta.shfl(lane.end, taken - 1);
    const uint32_t first_word = (output.skew + begin) / 4;
    const uint32_t origin = begin - head;  // may wrap, and wraps back
    for (uint32_t w = cta.lane(); 4 * w < end; w += simt::kWarpSize) {
      write_word(cta, tile, output, {head, end, origin, first_word}, w, literals);
    }
    cta.sync_warp();
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
    cta.store(tile.starts, cta.lane(), uint32_t{0});
    cta.sync_warp();
    const bool counts = cta.lane() < taken;
    const uint32_t with_literals = cta.ballot(counts && lane.literals != 0);
    if (counts) {
      const uint32_t below = (uint32_t{1} << cta.lane()) - 1;
      uint32_t run = cta.lane() + static_cast<uint32_t>(std::popcount(with_literals & below));
      const uint32_t start = head + lane.start;
      if (lane.literals != 0) {
        mark(cta, tile, start);
        cta.store(tile.runs, run++, Run::pack(start, false, lane.literal - start));
      }
      const uint32_t match = start + lane.literals;
      mark(cta, tile, match);
      cta.store(tile.runs, run, Run::pack(match, true, lane.offset));
    }
    cta.sync_warp();
    const uint32_t starts = cta.load(tile.starts, cta.lane());
    const auto own = static_cast<uint32_t>(std::popcount(starts));
    const uint32_t before = simt::sum_through(cta, own) - own;
    cta.store(tile.index, cta.lane(), starts | uint64_t{before} << 32);
    cta.sync_warp();
  }
  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Tile& tile, uint32_t j) {
    cta.template atomic_or<simt::Order::relaxed>(tile.starts, j / 32, uint32_t{1} << (j % 32));
  }

  // Where the byte at `j` comes from. A match's source lies before its start, so this ends.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t trace(Cta& cta, const Tile& tile, const Extent& extent,
                                                uint32_t j) {
    while (true) {
      const uint64_t entry = cta.load(tile.index, j / 32);
      const uint32_t up_to_own = ~uint32_t{0} >> (31 - j % 32);
      const auto in_word = static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(entry) & up_to_own));
      const uint64_t run = cta.load(tile.runs, static_cast<uint32_t>(entry >> 32) + in_word - 1);
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
