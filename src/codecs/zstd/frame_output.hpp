// SPDX-License-Identifier: Apache-2.0
// A frame's output, written by a team of warps. Each byte of a tile is one load, from the literals or from the
// output before the tile; neighbouring lanes load neighbouring bytes, which mostly are in one line of the
// cache. Matches that reach into the tile itself are copied afterwards, in shared memory: by each warp those
// of its own sequences, in order. One that reads what another warp still has to copy waits for it.
#pragma once

#include "codecs/zstd/copy_runs.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

template <uint32_t kTeamWarps>
struct FrameOutput {
  using Runs = CopyRuns<kTeamWarps>;
  using Members = typename Runs::Members;
  static constexpr uint32_t kTeam = Members::kThreads;
  static constexpr uint32_t kTile = Runs::kTile;
  static constexpr uint32_t kWord = sizeof(Quad);
  static constexpr bool kAlone = kTeamWarps == 1;

  struct Tile {
    typename Runs::Shared runs;
    simt::Shared<Quad, kTile / 8 / kWord> starts;  // a bit where a run begins
    simt::Shared<uint64_t, 2 * kTeam + 1> sources;  // of each run: the address of what is copied to 0
    simt::Shared<Quad, kTile / kWord> content;      // from an aligned address
    // Of several warps:
    simt::Shared<uint32_t, kTeam> before;                // runs that begin before each word of `starts`
    simt::Shared<uint32_t, kTeamWarps> with_literals;    // sequences of each warp
    simt::Shared<uint32_t, kTeamWarps> complete;  // up to where a warp has copied its matches inside the tile
  };

  Global<uint8_t> bytes{};
  ByteWords<uint32_t> all{};
  Tile& tile;

  BOBBIN_HD FrameOutput(Global<uint8_t> out, Tile& t)
      : bytes(out), all(ByteWords<uint32_t>::of(out.data, out.size)), tile(t) {}

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
    const auto in_word = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(bytes.data) % kWord);
    const Global<Quad> words{reinterpret_cast<Quad*>(bytes.data - in_word), (in_word + bytes.size) / kWord};
    const Extent extent = Extent::of<kWord>(in_word, begin, survey.end);
    const bool taken = Members::rank(cta) < survey.taken;
    list(cta, extent, words, lane, taken, literals);
    if (literals.mask == 0) {
      gather<true>(cta, extent);
    } else {
      gather<false>(cta, extent);
    }
    const uint32_t insides = cta.ballot(taken && lane.is_inside());
    if constexpr (!kAlone) {
      const uint32_t complete = complete_to(cta, extent, lane, insides);
      if (cta.lane() == 0) {
        cta.store(tile.complete, cta.warp(), complete);
      }
    }
    Members::sync(cta);
    copy_insides(cta, extent, lane, insides);
    if constexpr (!kAlone) {
      Members::sync(cta);
    }
    write_tile(cta, extent, words);
    Members::sync(cta);
  }

 private:
  using Bytes = simt::Shared<uint8_t, kTile>;
  using Words = simt::Shared<uint32_t, kTile / 32>;
  static constexpr uint64_t kRepeated = uint64_t{1} << 63;  // all bytes of the run are the one at the address

  // Whether the first word is the frame's alone. A frame may begin inside of a word.
  [[nodiscard]] BOBBIN_HD bool is_first_known(const Extent& extent) const {
    return extent.origin < bytes.size;
  }
  [[nodiscard]] BOBBIN_HD Bytes& content() const { return simt::seen_as<Bytes>(tile.content); }

  // Marks where runs begin, and says where they come from. The first run are the bytes before the tile in its
  // first word: they are in memory already, and are read again so that the whole word can be written.
  template <class Cta>
  BOBBIN_HD void list(Cta& cta, const Extent& extent, Global<Quad> words, const TileSequence& lane,
                      bool taken, const Literals& literals) const {
    const uint32_t rank = Members::rank(cta);
    Words& starts = simt::seen_as<Words>(tile.starts);
    cta.store(starts, rank, uint32_t{rank == 0 && extent.head != 0});
    const bool has_literals = lane.literals != 0;
    const uint32_t with_literals = cta.ballot(taken && has_literals);
    if (!kAlone && cta.lane() == 0) {
      cta.store(tile.with_literals, cta.warp(), count_ones(with_literals));
    }
    const uint64_t origin = reinterpret_cast<uintptr_t>(words.data + extent.first_word);
    if (rank == 0) {
      cta.store(tile.sources, 0, origin);
    }
    Members::sync(cta);
    if (taken) {
      const uint32_t start = extent.head + lane.start;
      uint32_t run = 1 + rank + count_ones(with_literals & ((uint32_t{1} << cta.lane()) - 1));
      for (uint32_t w = 0; !kAlone && w < cta.warp(); ++w) {
        run += cta.load(tile.with_literals, w);
      }
      if (has_literals) {
        mark(cta, starts, start);
        const auto from = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(literals.bytes.data));
        cta.store(tile.sources, run, literals.mask == 0 ? from | kRepeated : from + lane.literal - start);
        ++run;
      }
      mark(cta, starts, start + lane.literals);
      // Of matches inside the tile, the byte itself: they are copied later.
      cta.store(tile.sources, run, origin - (lane.is_inside() ? 0 : lane.offset));
    }
    Members::sync(cta);
    if constexpr (!kAlone) {
      const uint32_t own = count_ones(cta.load(starts, rank));
      const uint32_t earlier = Members::sum_before(cta, tile.runs.team, own);
      cta.store(tile.before, rank, earlier);
      Members::sync(cta);
    }
  }
  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Words& starts, uint32_t j) {
    cta.template atomic_or<simt::Order::relaxed>(starts, j / 32, uint32_t{1} << (j % 32));
  }

  // Some loads are on their way at a time. Those after the tile's last byte are of that byte.
  template <bool kMayRepeat, class Cta>
  BOBBIN_HD void gather(Cta& cta, const Extent& extent) const {
    constexpr uint32_t kAtOnce = 4;
    constexpr uint32_t kStep = kAtOnce * simt::kWarpSize;
    const uint32_t through_own = ~uint32_t{0} >> (31 - cta.lane());
    const uint32_t known = is_first_known(extent) ? 0 : extent.head;
    // The first run has no bytes if there is nothing before the tile in its first word.
    const uint32_t first_run = extent.head != 0 ? ~uint32_t{0} : 0;
    uint32_t before = first_run;  // the run that ends before these bytes
    for (uint32_t first = kAlone ? 0 : cta.warp() * kStep; first < extent.end; first += kTeamWarps * kStep) {
      const Quad starts = cta.load(tile.starts, first / (8 * kWord));
      uint8_t read[kAtOnce];
      if constexpr (!kAlone) {
        before = first_run + cta.load(tile.before, first / simt::kWarpSize);
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        const uint32_t run = before + count_ones(starts.word[i] & through_own);
        before += count_ones(starts.word[i]);
        const uint32_t j = first + i * simt::kWarpSize + cta.lane();
        const uint32_t in_tile = j < extent.end - 1 ? j : extent.end - 1;
        const uint64_t source = cta.load(tile.sources, run);
        const bool repeated = kMayRepeat && (source & kRepeated) != 0;
        const uint64_t address = repeated ? source & ~kRepeated : source + in_tile;
        const Global<uint8_t> byte{reinterpret_cast<uint8_t*>(address), 1};
        read[i] = i != 0 || j >= known ? cta.load(byte, 0) : uint8_t{0};
      }
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        cta.store(content(), first + i * simt::kWarpSize + cta.lane(), read[i]);
      }
    }
  }

  // How far a warp has come if the matches of the lanes `insides` are still to be copied.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t complete_to(Cta& cta, const Extent& extent,
                                                      const TileSequence& lane, uint32_t insides) {
    const uint32_t next = cta.shfl(lane.start + lane.literals, trailing_zeros(insides) % simt::kWarpSize);
    return insides != 0 ? extent.head + next : UINT32_MAX;
  }
  // Waits until earlier warps have copied all before byte `end` of the tile.
  template <class Cta>
  BOBBIN_HD void wait_for(Cta& cta, uint32_t end) const {
    if constexpr (!kAlone) {
      bool complete = cta.lane() >= cta.warp();
      while (!cta.all(complete)) {
        complete = complete || cta.template atomic_load<simt::Order::acquire>(tile.complete, cta.lane()) >= end;
      }
      cta.sync_warp();
    }
  }

  // In the order of the sequences: what one reads, those before it have written.
  template <class Cta>
  BOBBIN_HD void copy_insides(Cta& cta, const Extent& extent, const TileSequence& lane,
                              uint32_t insides) const {
    const uint32_t match = lane.start + lane.literals;
    while (insides != 0) {
      const uint32_t from = trailing_zeros(insides);
      const uint32_t start = extent.head + cta.shfl(match, from);
      const uint32_t length = cta.shfl(lane.end - match, from);
      const uint32_t offset = cta.shfl(lane.offset, from);
      wait_for(cta, start - offset + (length < offset ? length : offset));
      if (offset < simt::kWarpSize) {
        repeat_inside(cta, extent, start, length, offset);
      } else {
        copy_inside(cta, extent, start, length, offset);
      }
      insides &= insides - 1;
      if constexpr (!kAlone) {
        const uint32_t complete = complete_to(cta, extent, lane, insides);
        if (cta.lane() == 0) {
          cta.template atomic_store<simt::Order::release>(tile.complete, cta.warp(), complete);
        }
      }
    }
  }
  // A step reads nothing that it writes.
  template <class Cta>
  BOBBIN_HD void copy_inside(Cta& cta, const Extent& extent, uint32_t start, uint32_t length,
                             uint32_t offset) const {
    for (uint32_t first = 0; first < length; first += simt::kWarpSize) {
      const uint32_t i = first + cta.lane();
      if (i < length) {
        cta.store(content(), start + i, byte_before(cta, extent, start + i, offset));
      }
      cta.sync_warp();
    }
  }
  // A pattern, by as many lanes as hold it a whole number of times.
  template <class Cta>
  BOBBIN_HD void repeat_inside(Cta& cta, const Extent& extent, uint32_t start, uint32_t length,
                               uint32_t offset) const {
    const uint32_t times = simt::kWarpSize / offset;
    const uint32_t in_pattern = cta.lane() % offset;
    const uint8_t byte = byte_before(cta, extent, start + in_pattern, offset);
    for (uint32_t i = cta.lane(); cta.lane() < times * offset && i < length; i += times * offset) {
      cta.store(content(), start + i, byte);
    }
    cta.sync_warp();
  }
  // The byte `offset` before byte j of the tile.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint8_t byte_before(Cta& cta, const Extent& extent, uint32_t j,
                                              uint32_t offset) const {
    const uint32_t from = j - offset;
    return offset > j - extent.head ? cta.load(bytes, extent.origin + from) : cta.load(content(), from);
  }

  template <class Cta>
  BOBBIN_HD void write_tile(Cta& cta, const Extent& extent, Global<Quad> words) const {
    const uint32_t rank = Members::rank(cta);
    const bool whole = is_first_known(extent);
    const uint32_t last = extent.end / kWord;
    BOBBIN_UNROLL
    for (uint32_t done = 0; done < kTile / kWord; done += kTeam) {
      const uint32_t w = done + rank;
      if (w < last && (w != 0 || whole)) {
        cta.store(words, extent.first_word + w, cta.load(tile.content, w));
      }
    }
    const uint32_t j = last * kWord + rank;
    if (extent.has(j)) {
      cta.store(bytes, extent.origin + j, cta.load(content(), j));
    }
    if (!whole && last != 0 && rank < kWord && extent.has(rank)) {
      cta.store(bytes, extent.origin + rank, cta.load(content(), rank));
    }
  }
};

}  // namespace bobbin::zstd
