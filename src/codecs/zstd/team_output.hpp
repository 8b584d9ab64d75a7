// SPDX-License-Identifier: Apache-2.0
// A frame's output, written by several warps. In their tiles, many matches reach into the tile itself: each
// byte follows them until its source is outside.
#pragma once

#include "codecs/zstd/run_table.hpp"
#include "codecs/zstd/word_output.hpp"

namespace bobbin::zstd {

template <uint32_t kTeamWarps>
struct TeamOutput : WordOutput {
  using Runs = CopyRuns<kTeamWarps>;
  using Members = typename Runs::Members;
  using Table = RunTable<kTeamWarps>;
  static constexpr uint32_t kTeam = Members::kThreads;

  struct Tile {
    typename Runs::Shared runs;
    typename Table::Shared table;
    simt::Shared<uint32_t, Runs::kTile / 4> words;  // the tile's content, from an aligned address
  };

  Tile& tile;

  BOBBIN_HD TeamOutput(Global<uint8_t> out, Tile& t) : WordOutput(out), tile(t) {}

  template <class Cta>
  BOBBIN_HD void copy_tile(Cta& cta, uint32_t begin, const TileSequence& lane,
                           const typename Members::Survey& survey, const Literals& literals) const {
    const Extent extent = Extent::of(all.skew, begin, survey.end);
    Table::list(cta, tile.table, lane, survey.taken, extent);
    for (uint32_t first = 0; first < extent.end; first += kAtOnce * kTeam) {
      gather(cta, extent, first + Members::rank(cta), literals);
    }
    Members::sync(cta);
    write_tile(cta, extent);
    Members::sync(cta);
  }

 private:
  static constexpr uint32_t kAtOnce = 4;
  using Source = typename Table::Source;
  using Bytes = simt::Shared<uint8_t, Runs::kTile>;

  [[nodiscard]] BOBBIN_HD Bytes& tile_bytes() const { return simt::seen_as<Bytes>(tile.words); }

  // Bytes of the tile, from `j` on. Sources first, then loads: they do not wait for each other. Neighbouring
  // lanes follow neighbouring bytes, mostly through the same matches.
  template <class Cta>
  BOBBIN_HD void gather(Cta& cta, const Extent& extent, uint32_t j, const Literals& literals) const {
    Source sources[kAtOnce];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      sources[i] = source_of(cta, extent, j + i * kTeam);
    }
    uint32_t read[kAtOnce];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      read[i] = fetch(cta, literals, sources[i]);
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      if (extent.has(j + i * kTeam)) {
        cta.store(tile_bytes(), j + i * kTeam, static_cast<uint8_t>(read[i]));
      }
    }
  }

  // Bytes outside the tile get any source.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Source source_of(Cta& cta, const Extent& extent, uint32_t j) const {
    return extent.has(j) ? Table::follow(cta, tile.table, extent, Table::find(cta, tile.table, j))
                         : Source{Run::pack(Run::output, extent.origin), extent.head};
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
};

}  // namespace bobbin::zstd
