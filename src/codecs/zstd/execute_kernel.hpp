// SPDX-License-Identifier: Apache-2.0
// The copies. A team of warps goes through a frame, a tile of sequences at a time. Each byte is one load,
// from the literals or from the output before the tile. Matches that reach into the tile itself are few in
// the tile of one warp, which copies them afterwards, one after another, in shared memory. In the larger tile
// of several warps they are many: there, each byte follows them until their source is outside.
#pragma once

#include "codecs/zstd/copy_runs.hpp"

namespace bobbin::zstd {

template <uint32_t kTeamWarps>
struct ExecuteKernel {
  using Runs = CopyRuns<kTeamWarps>;
  using Members = typename Runs::Members;
  static constexpr uint32_t kTeam = Members::kThreads;
  static constexpr uint32_t kThreads = kTeam < 128 ? 128 : kTeam;
  static constexpr uint32_t kTeams = kThreads / kTeam;
  // Copies wait for memory. With a warp per frame, 48 warps per SM are faster than 64 that spill registers.
  static constexpr uint32_t kMinBlocks = kTeamWarps == 1 ? 12 : 4;
  static constexpr bool kInOrder = kTeamWarps == 1;  // how matches inside the tile are copied

  struct Tile {
    typename Runs::Shared runs;
    simt::Shared<uint64_t, kInOrder ? kTeam : 1> insides;  // matches that reach into the tile
    simt::Shared<uint32_t, Runs::kTile / 4> words;         // the tile's content, from an aligned address
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
      const uint32_t frame = frames.begin + Members::agree(cta, tile.runs.team, [&] { return ticket(cta); });
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

  // The frame's output.
  struct Output {
    using Source = typename Runs::Source;

    Tile& tile;
    Global<uint8_t> bytes{};
    ByteWords<uint32_t> all{};

    [[nodiscard]] BOBBIN_HD uint32_t skew() const { return all.skew; }
    [[nodiscard]] BOBBIN_HD static uint32_t literal(uint32_t byte) { return byte; }
    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t copied(Cta& cta, uint32_t from) const {
      return cta.load(bytes, from);
    }
    template <class Cta>
    BOBBIN_HD void store(Cta& cta, uint32_t at, uint32_t byte) const {
      cta.store(bytes, at, static_cast<uint8_t>(byte));
    }
    template <class Cta>
    BOBBIN_HD void store_four(Cta& cta, uint32_t word, const uint32_t (&four)[4]) const {
      cta.store(all.words, word, four[0] | four[1] << 8 | four[2] << 16 | four[3] << 24);
    }

    template <class Cta>
    BOBBIN_HD void copy_tile(Cta& cta, uint32_t begin, const TileSequence& lane,
                             const typename Members::Survey& survey, const Literals& literals) const {
      const Extent extent = Extent::of(all.skew, begin, survey.end);
      if constexpr (kInOrder) {
        const uint32_t insides = list_insides(cta, lane, survey.taken, extent);
        Runs::list(cta, tile.runs, lane, survey.taken, extent, addresses_of(extent, lane, literals));
        if (literals.mask == 0) {
          gather<true>(cta, extent);
        } else {
          gather<false>(cta, extent);
        }
        Members::sync(cta);
        copy_insides(cta, extent, insides);
      } else {
        Runs::list(cta, tile.runs, lane, survey.taken, extent, Runs::runs_of(lane, extent));
        for (uint32_t w = Members::rank(cta); 4 * w < extent.end; w += kTeam) {
          cta.store(tile.words, w, gather_word(cta, extent, w, literals));
        }
        Members::sync(cta);
      }
      write_tile(cta, extent);
      Members::sync(cta);
    }

   private:
    static constexpr uint64_t kRepeated = uint64_t{1}
                                          << 63;  // all bytes of the run are the one at the address

    // A run is an address to which the position in the tile is added. Of matches inside the tile it is that
    // of the byte itself: they are copied later.
    [[nodiscard]] BOBBIN_HD typename Runs::OwnRuns addresses_of(const Extent& extent,
                                                                const TileSequence& lane,
                                                                const Literals& literals) const {
      const auto from = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(literals.bytes.data));
      const uint64_t origin = reinterpret_cast<uintptr_t>(all.words.data) + 4 * uint64_t{extent.first_word};
      const uint64_t first = from + lane.literal - (extent.head + lane.start);
      return {literals.mask == 0 ? from | kRepeated : first,
              origin - (Runs::is_inside(lane) ? 0 : lane.offset)};
    }

    template <bool kMayRepeat, class Cta>
    BOBBIN_HD void gather(Cta& cta, const Extent& extent) const {
      for (uint32_t w = cta.lane(); 4 * w < extent.end; w += kTeam) {
        Source sources[4];
        Runs::find(cta, tile.runs, w, sources);
        uint32_t word = 0;
        BOBBIN_UNROLL
        for (uint32_t b = 0; b < 4; ++b) {
          const uint32_t j = sources[b].j < extent.head ? extent.head : sources[b].j;
          const uint32_t in_tile = j < extent.end - 1 ? j : extent.end - 1;
          const bool repeated = kMayRepeat && (sources[b].run & kRepeated) != 0;
          const uint64_t address = repeated ? sources[b].run & ~kRepeated : sources[b].run + in_tile;
          const Global<uint8_t> byte{reinterpret_cast<uint8_t*>(address), 1};
          word |= uint32_t{cta.load(byte, 0)} << (8 * b);
        }
        cta.store(tile.words, w, word);
      }
    }

    // A word of the tile; bytes outside of it are any. Sources first, then loads: they do not wait for each
    // other.
    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t gather_word(Cta& cta, const Extent& extent, uint32_t w,
                                                 const Literals& literals) const {
      Source sources[4];
      Runs::find(cta, tile.runs, w, sources);
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < 4; ++b) {
        sources[b] = source_of(cta, extent, sources[b]);
      }
      uint32_t word = 0;
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < 4; ++b) {
        word |= fetch(cta, literals, sources[b]) << (8 * b);
      }
      return word;
    }

    template <class Cta>
    [[nodiscard]] BOBBIN_HD Source source_of(Cta& cta, const Extent& extent, const Source& source) const {
      const Source any{Run::pack(Run::output, extent.origin), extent.head};
      if (!extent.has(source.j)) {
        return any;
      }
      return Runs::follow(cta, tile.runs, extent, source);
    }

    // One load for either kind, so that lanes stay together.
    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t fetch(Cta& cta, const Literals& literals, const Source& source) const {
      const bool literal = source.is_literal();
      const uint32_t at = source.at();
      const Global<const uint8_t> from = literals.bytes;
      const Global<uint8_t> either{literal ? const_cast<uint8_t*>(from.data) : bytes.data,
                                   literal ? from.size : bytes.size};
      return cta.load(either, literal ? at & literals.mask : at);
    }

    using Bytes = simt::Shared<uint8_t, Runs::kTile>;
    [[nodiscard]] BOBBIN_HD Bytes& tile_bytes() const { return simt::seen_as<Bytes>(tile.words); }

    // In the order of the sequences: what one reads, those before it have written.
    template <class Cta>
    BOBBIN_HD void copy_insides(Cta& cta, const Extent& extent, uint32_t count) const {
      for (uint32_t i = 0; i < count; ++i) {
        copy_inside(cta, extent, cta.load(tile.insides, i));
        cta.sync_warp();
      }
    }
    template <class Cta>
    BOBBIN_HD void copy_inside(Cta& cta, const Extent& extent, uint64_t match) const {
      Bytes& content = tile_bytes();
      const uint32_t start = Match::start(match);
      for (uint32_t i = cta.lane(); i < Match::length(match); i += simt::kWarpSize) {
        const uint32_t back = Runs::distance(Match::offset(match), i);
        const uint8_t byte = back > start - extent.head ? cta.load(bytes, extent.origin + start - back)
                                                        : cta.load(content, start - back);
        cta.store(content, start + i, byte);
      }
    }

    template <class Cta>
    BOBBIN_HD void write_tile(Cta& cta, const Extent& extent) const {
      const uint32_t rank = Members::rank(cta);
      for (uint32_t w = rank; 4 * w < extent.end; w += kTeam) {
        if (extent.has_word(w)) {
          cta.store(all.words, extent.first_word + w, cta.load(tile.words, w));
        }
      }
      // Bytes of words that are shared with what is before and after the tile.
      if (rank < 8) {
        const uint32_t j = rank < 4 ? rank : extent.end / 4 * 4 + rank - 4;
        const bool partial = rank < 4 ? extent.head != 0 : j >= 4 || extent.head == 0;
        if (partial && extent.has(j)) {
          cta.store(bytes, extent.origin + j, cta.load(tile_bytes(), j));
        }
      }
    }

    // For copy_insides(); returns their number.
    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t list_insides(Cta& cta, const TileSequence& lane, uint32_t taken,
                                                  const Extent& extent) const {
      const bool inside = Members::rank(cta) < taken && Runs::is_inside(lane);
      const uint32_t all_insides = cta.ballot(inside);
      if (inside) {
        const uint32_t earlier = all_insides & ((uint32_t{1} << cta.lane()) - 1);
        const uint32_t match = extent.head + lane.start + lane.literals;
        const uint32_t length = lane.end - lane.start - lane.literals;
        cta.store(tile.insides, static_cast<uint32_t>(std::popcount(earlier)),
                  Match::pack(match, length, lane.offset));
      }
      return static_cast<uint32_t>(std::popcount(all_insides));
    }
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Verdict run_frame(Cta& cta, Tile& tile, uint32_t index, FrameInfo& info) const {
    const BatchFrame frame = slice.frame(cta, index);
    const auto capacity = static_cast<uint32_t>(frame.out_bytes);
    const auto blocks = slice.part<Block>(info, Region::of(info).blocks, info.num_blocks);
    const Output output{tile,
                        {reinterpret_cast<uint8_t*>(frame.out), capacity},
                        ByteWords<uint32_t>::of(frame.out, capacity)};
    const Global<const uint8_t> in{reinterpret_cast<const uint8_t*>(frame.in), frame.in_bytes};
    Runs::keep_recent(cta, tile.runs, Recent::at_frame_start());
    uint32_t produced = 0;
    for (uint32_t b = 0; b < info.num_blocks; ++b) {
      const Block block = cta.load(blocks, b);
      const uint32_t bytes = block.content();
      if (bytes > capacity - produced) {
        return Verdict::too_small;
      }
      if (!block.is_ready()) {
        const Literals literals =
            Literals::of(slice, info, in, block.plain_literals(), block.plain_literals_from());
        Runs::copy_literals(cta, output, produced, bytes, literals, 0);
        Members::sync(cta);
      } else if (!run_block(cta, output, produced, info, in, std::bit_cast<ReadyBlock>(block))) {
        return Verdict::corrupt;
      }
      produced += bytes;
    }
    info.bytes = produced;
    return info.content == FrameInfo::kNoContent || info.content == produced ? Verdict::ok : Verdict::corrupt;
  }

  // False where an offset reaches too far.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_block(Cta& cta, const Output& output, uint32_t produced,
                                         const FrameInfo& info, Global<const uint8_t> in,
                                         const ReadyBlock& block) const {
    const BlockCopies copies{
        .records = slice.part<uint64_t>(info, Region::of(info).sequences, info.sequences),
        .literals = Literals::of(slice, info, in, block.literals, block.literals_from),
        .begin = produced,
        .window = info.window};
    const uint32_t last = block.sequences_begin + block.sequences;
    typename Runs::Shared& shared = output.tile.runs;
    if (!Runs::copy(cta, shared, output, copies, block.sequences_begin, last)) {
      return false;
    }
    const uint64_t end = cta.load(copies.records, last);
    const uint32_t rest = low_bits(block.literals, Block::kCountBits) - Copy::literal(end);
    Runs::copy_literals(cta, output, produced + Copy::place(end), rest, copies.literals, Copy::literal(end));
    const Recent recent{{block.first_recent, block.second_recent, block.third_recent}};
    const Recent older{{cta.load(shared.recent, 0), cta.load(shared.recent, 1), cta.load(shared.recent, 2)}};
    Members::sync(cta);
    Runs::keep_recent(cta, shared, recent.after(older));
    return true;
  }
};

}  // namespace bobbin::zstd
