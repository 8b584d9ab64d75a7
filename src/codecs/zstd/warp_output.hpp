// SPDX-License-Identifier: Apache-2.0
// A frame's output, written by one warp. Each byte of a tile is one load, from the literals or from the
// output before the tile; neighbouring lanes load neighbouring bytes, which mostly are in one line of the
// cache. Matches that reach into the tile itself are few: they are copied afterwards, one after another, in
// shared memory.
#pragma once

#include "codecs/zstd/word_output.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

struct WarpOutput : WordOutput {
  using Runs = CopyRuns<1>;
  using Members = Runs::Members;
  static constexpr uint32_t kTile = Runs::kTile;
  static constexpr uint32_t kWord = sizeof(Quad);

  struct Tile {
    Runs::Shared runs;
    simt::Shared<Quad, kTile / 8 / kWord> starts;  // a bit where a run begins
    // The address that a run's positions are added to.
    simt::Shared<uint64_t, 2 * simt::kWarpSize + 1> sources;
    simt::Shared<Quad, kTile / kWord> content;  // from an aligned address
  };

  Tile& tile;

  BOBBIN_HD WarpOutput(Global<uint8_t> out, Tile& t) : WordOutput(out), tile(t) {}

  template <class Cta>
  BOBBIN_HD void copy_tile(Cta& cta, uint32_t begin, const TileSequence& lane, const Members::Survey& survey,
                           const Literals& literals) const {
    const auto in_word = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(bytes.data) % kWord);
    const Global<Quad> words{reinterpret_cast<Quad*>(bytes.data - in_word), (in_word + bytes.size) / kWord};
    const Extent extent = Extent::of<kWord>(in_word, begin, survey.end);
    const bool taken = cta.lane() < survey.taken;
    // Loads would wait for memory; until then, there are the runs to list.
    if (taken && !lane.is_inside()) {
      cta.prefetch(bytes, begin + lane.start + lane.literals - lane.offset);
    }
    list(cta, extent, words, lane, taken, literals);
    if (literals.mask == 0) {
      gather<true>(cta, extent);
    } else {
      gather<false>(cta, extent);
    }
    const uint32_t insides = cta.ballot(taken && lane.is_inside());
    cta.sync_warp();
    copy_insides(cta, extent, lane, insides);
    write_tile(cta, extent, words);
    cta.sync_warp();
  }

 private:
  using Bytes = simt::Shared<uint8_t, kTile>;
  using Words = simt::Shared<uint32_t, kTile / 32>;
  static constexpr uint32_t kAtOnce = 8;
  static constexpr uint32_t kStep = kAtOnce * simt::kWarpSize;
  static constexpr uint64_t kRepeated = uint64_t{1} << 63;  // all bytes of the run are the one at the address

  // Whether the first word is the frame's alone. A frame may begin inside of a word.
  [[nodiscard]] BOBBIN_HD bool is_first_known(const Extent& extent) const {
    return extent.origin < bytes.size;
  }
  [[nodiscard]] BOBBIN_HD Bytes& content() const { return simt::seen_as<Bytes>(tile.content); }

  // Marks where runs begin, and says where they come from. The first run is the bytes before the tile in its
  // first word: they are in memory already, and are read again so that the whole word can be written.
  template <class Cta>
  BOBBIN_HD void list(Cta& cta, const Extent& extent, Global<Quad> words, const TileSequence& lane,
                      bool taken, const Literals& literals) const {
    Words& starts = simt::seen_as<Words>(tile.starts);
    cta.store(starts, cta.lane(), uint32_t{cta.lane() == 0 && extent.head != 0});
    const bool has_literals = lane.literals != 0;
    const uint32_t with_literals = cta.ballot(taken && has_literals);
    const uint64_t origin = reinterpret_cast<uintptr_t>(words.data + extent.first_word);
    if (cta.lane() == 0) {
      cta.store(tile.sources, 0, origin);
    }
    cta.sync_warp();
    if (taken) {
      const uint32_t start = extent.head + lane.start;
      uint32_t run = 1 + cta.lane() + count_ones(with_literals & ((uint32_t{1} << cta.lane()) - 1));
      if (has_literals) {
        mark(cta, starts, start);
        const auto from = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(literals.bytes.data));
        cta.store(tile.sources, run, literals.mask == 0 ? from | kRepeated : from + lane.literal - start);
        ++run;
      }
      mark(cta, starts, start + lane.literals);
      // Matches inside the tile are copied later: until then, any bytes that were written not long ago.
      const uint32_t recent = extent.origin < bytes.size && extent.origin >= kTile ? kTile : 0;
      cta.store(tile.sources, run, origin - (lane.is_inside() ? recent : lane.offset));
    }
    cta.sync_warp();
  }
  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Words& starts, uint32_t j) {
    cta.template atomic_or<simt::Order::relaxed>(starts, j / 32, uint32_t{1} << (j % 32));
  }

  // Four or eight loads are on their way at a time. Those after the tile's last byte are of that byte.
  template <bool kMayRepeat, class Cta>
  BOBBIN_HD void gather(Cta& cta, const Extent& extent) const {
    const uint32_t through_own = ~uint32_t{0} >> (31 - cta.lane());
    const uint32_t known = is_first_known(extent) ? 0 : extent.head;
    // The first run has no bytes if there is nothing before the tile in its first word.
    uint32_t before = extent.head != 0 ? ~uint32_t{0} : 0;  // the run that ends before these bytes
    for (uint32_t first = 0; first < extent.end; first += kStep) {
      uint8_t read[kAtOnce];
      const auto take = [&](uint32_t row, uint32_t starts) {
        const uint32_t run = before + count_ones(starts & through_own);
        before += count_ones(starts);
        const uint32_t j = first + row * simt::kWarpSize + cta.lane();
        const uint32_t in_tile = j < extent.end - 1 ? j : extent.end - 1;
        const uint64_t source = cta.load(tile.sources, run);
        const bool repeated = kMayRepeat && (source & kRepeated) != 0;
        const uint64_t address = repeated ? source & ~kRepeated : source + in_tile;
        const Global<uint8_t> byte{reinterpret_cast<uint8_t*>(address), 1};
        read[row] = row != 0 || j >= known ? cta.load(byte, 0) : uint8_t{0};
      };
      const Quad starts = cta.load(tile.starts, first / (8 * kWord));
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        take(i, starts.word[i]);
      }
      const bool more = first + kStep / 2 < extent.end;
      if (more) {
        const Quad next = cta.load(tile.starts, first / (8 * kWord) + 1);
        BOBBIN_UNROLL
        for (uint32_t i = 0; i < 4; ++i) {
          take(4 + i, next.word[i]);
        }
      }
      BOBBIN_UNROLL
      for (uint32_t row = 0; row < 4; ++row) {
        cta.store(content(), first + row * simt::kWarpSize + cta.lane(), read[row]);
      }
      if (more) {
        BOBBIN_UNROLL
        for (uint32_t row = 4; row < kAtOnce; ++row) {
          cta.store(content(), first + row * simt::kWarpSize + cta.lane(), read[row]);
        }
      }
    }
  }

  // In the order of the sequences: what one reads, those before it have written.
  template <class Cta>
  BOBBIN_HD void copy_insides(Cta& cta, const Extent& extent, const TileSequence& lane,
                              uint32_t insides) const {
    const uint32_t match = lane.start + lane.literals;
    for (; insides != 0; insides &= insides - 1) {
      const uint32_t from = trailing_zeros(insides);
      const uint32_t start = extent.head + cta.shfl(match, from);
      const uint32_t length = cta.shfl(lane.end - match, from);
      const uint32_t offset = cta.shfl(lane.offset, from);
      if (offset < simt::kWarpSize) {
        repeat_inside(cta, extent, start, length, offset);
      } else {
        copy_inside(cta, extent, start, length, offset);
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
    const bool whole = is_first_known(extent);
    const uint32_t last = extent.end / kWord;
    BOBBIN_UNROLL
    for (uint32_t done = 0; done < kTile / kWord; done += simt::kWarpSize) {
      const uint32_t w = done + cta.lane();
      if (w < last && (w != 0 || whole)) {
        cta.store(words, extent.first_word + w, cta.load(tile.content, w));
      }
    }
    const uint32_t j = last * kWord + cta.lane();
    if (extent.has(j)) {
      cta.store(bytes, extent.origin + j, cta.load(content(), j));
    }
    if (!whole && last != 0 && cta.lane() < kWord && extent.has(cta.lane())) {
      cta.store(bytes, extent.origin + cta.lane(), cta.load(content(), cta.lane()));
    }
  }
};

}  // namespace bobbin::zstd
