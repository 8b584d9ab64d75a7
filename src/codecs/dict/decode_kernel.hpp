// SPDX-License-Identifier: Apache-2.0
// Decodes codes to strings. Rows are cut into tiles of 2048. The first kernel adds up the bytes of each
// tile's strings, one block turns the sums into start offsets of tiles, and the third kernel writes a tile's
// offsets and bytes: the places of its rows and of their entries are kept in shared memory (16 KiB, or 32
// with 64-bit offsets), and a thread assembles 16 bytes of the output at a time, from one or more strings.
// Tiles with much output have several blocks.
//
// Preconditions (checked by validate): at least one entry; entries' ends ascend.
// Cost: codes read twice, offsets and bytes written once; per 16 bytes a search among the tile's rows in
// shared memory, and three words of each entry involved, mostly from caches.
#pragma once

#include <cstdint>

#include "codecs/dict/tile.hpp"
#include "core/bits.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::dict {

// Sixteen bytes as two words.
struct Pair {
  uint64_t low = 0;
  uint64_t high = 0;

  // The first `count` bytes (1 to 16), shifted up by `places` bytes (0 to 15).
  [[nodiscard]] BOBBIN_HD Pair cut_and_moved(uint32_t count, uint32_t places) const {
    const Pair cut{count < 8 ? low & ~(~uint64_t{0} << (8 * count)) : low,
                   count <= 8    ? 0
                   : count == 16 ? high
                                 : high & ~(~uint64_t{0} << (8 * count - 64))};
    if (places == 0) {
      return cut;
    }
    if (places >= 8) {
      return {0, cut.low << (8 * places - 64)};
    }
    return {cut.low << (8 * places), cut.high << (8 * places) | cut.low >> (64 - 8 * places)};
  }
};

// Rows of strings, a few per thread.
template <class Code, class Offset>
struct StringTiles {
  static constexpr uint32_t kWarps = 8;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kOwn = 8;  // rows per thread
  static constexpr uint32_t kRows = kThreads * kOwn;

  CodeSource<Code> source;
  Global<const Offset> ends;  // of entries, after a leading 0

  // Where a thread's rows begin in the entries' bytes, and their sizes: 0 past the last row.
  struct Own {
    Offset from[kOwn];
    Offset size[kOwn];
  };

  static uint64_t count(uint64_t rows) { return ceil_div<uint64_t>(rows, kRows); }

  template <class Cta>
  BOBBIN_HD Own load(Cta& cta, uint64_t first) const {
    uint32_t entries[kOwn];
    const uint64_t left = first < source.codes.size ? source.codes.size - first : 0;
    if (left >= kOwn) {
      source.template entries<kOwn>(cta, first / kOwn, entries);
    } else {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kOwn; ++k) {
        entries[k] = k < left ? source.entry(cta, first + k) : 0;
      }
    }
    Own own;
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kOwn; ++k) {
      own.from[k] = cta.load(ends, entries[k]);
      own.size[k] = k < left ? cta.load(ends, entries[k] + 1) - own.from[k] : 0;
    }
    return own;
  }

  template <class Sum>
  BOBBIN_HD static Sum sum(const Own& own) {
    Sum all = 0;
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kOwn; ++k) {
      all += own.size[k];
    }
    return all;
  }
};

// Adds up the bytes of each tile's strings.
template <class Code, class Offset>
struct TileSumsKernel {
  using Tiles = StringTiles<Code, Offset>;
  static constexpr uint32_t kThreads = Tiles::kThreads;
  struct Shared {
    simt::Shared<uint64_t, Tiles::kWarps> warps;
  };

  Tiles tiles;
  Global<uint64_t> sums;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& warps = cta.template shared<Shared>().warps;
    const uint64_t first = uint64_t{cta.block()} * Tiles::kRows + cta.thread() * Tiles::kOwn;
    const uint64_t through = simt::sum_through(cta, Tiles::template sum<uint64_t>(tiles.load(cta, first)));
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(warps, cta.warp(), through);
    }
    cta.sync();
    if (cta.thread() == 0) {
      uint64_t all = 0;
      for (uint32_t w = 0; w < Tiles::kWarps; ++w) {
        all += cta.load(warps, w);
      }
      cta.store(sums, cta.block(), all);
    }
  }
};

// Turns sums into the start offsets of tiles, by an inclusive prefix scan after an initial 0. One block
// suffices: there are few tiles.
struct TileBeginsKernel {
  static constexpr uint32_t kWarps = 32;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  struct Shared {
    simt::Shared<uint64_t, kWarps> warps;
  };

  Global<uint64_t> begins;  // one more than tiles; the sums start at index 1

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& warps = cta.template shared<Shared>().warps;
    uint64_t before = 0;
    for (uint64_t first = 0; first < begins.size; first += kThreads) {
      const uint64_t i = first + cta.thread();
      const uint64_t own = i > 0 && i < begins.size ? cta.load(begins, i) : 0;
      const uint64_t through = simt::sum_through(cta, own);
      if (cta.lane() == simt::kWarpSize - 1) {
        cta.store(warps, cta.warp(), through);
      }
      cta.sync();
      uint64_t at = before + through;
      for (uint32_t w = 0; w < kWarps; ++w) {
        const uint64_t sum = cta.load(warps, w);
        at += w < cta.warp() ? sum : 0;
        before += sum;
      }
      cta.sync();  // the next round overwrites the warps' sums
      if (i < begins.size) {
        cta.store(begins, i, at);
      }
    }
  }
};

// Writes offsets and bytes of all rows.
template <class Code, class Offset>
struct StringsKernel {
  using Tiles = StringTiles<Code, Offset>;
  static constexpr uint32_t kThreads = Tiles::kThreads;
  static constexpr uint32_t kQuadBytes = sizeof(Quad);
  // Loads of entries' bytes read up to this many bytes past the end.
  static constexpr uint32_t kPadding = 3 * sizeof(uint64_t);
  struct Shared {
    simt::Shared<Offset, Tiles::kRows> begins;  // of rows, in the tile's output
    simt::Shared<Offset, Tiles::kRows> froms;   // of their entries, in `bytes`
    simt::Shared<Offset, Tiles::kWarps> warps;
  };

  Tiles tiles;
  Global<const uint64_t> bytes;        // of entries, padded
  Global<const uint64_t> tile_begins;  // one more than tiles; the last is the total size
  uint32_t parts;                      // blocks per tile
  Global<uint32_t> narrow;             // offsets: one of the two is used
  Global<uint64_t> wide;
  Global<uint8_t> out;
  Global<uint32_t> fault;  // set if the strings' total size differs from the size of `out`

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    if (cta.load(tile_begins, tile_begins.size - 1) != out.size) {
      if (cta.block() == 0 && cta.thread() == 0) {
        cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
      }
      return;
    }
    auto& shared = cta.template shared<Shared>();
    const uint64_t tile = cta.block() / parts;
    const uint32_t part = cta.block() % parts;
    const uint64_t first = tile * Tiles::kRows + cta.thread() * Tiles::kOwn;
    const uint64_t begin = cta.load(tile_begins, tile);
    place_rows(cta, shared, first, part == 0, begin);
    cta.sync();
    if (part == 0 && cta.thread() == 0 && tile + 2 == tile_begins.size) {
      put_offset(cta, rows(), out.size);
    }
    const uint64_t end = cta.load(tile_begins, tile + 1);
    const uint64_t base = begin / kQuadBytes * kQuadBytes;
    const uint64_t left = rows() - tile * Tiles::kRows;
    const auto here = static_cast<uint32_t>(left < Tiles::kRows ? left : Tiles::kRows);
    const uint64_t stride = uint64_t{parts} * kThreads * kQuadBytes;
    uint64_t quad = base + (uint64_t{part} * kThreads + cta.thread()) * kQuadBytes;
    for (; quad < end; quad += stride) {
      const uint64_t to = quad < begin ? begin : quad;
      const uint64_t stop = quad + kQuadBytes < end ? quad + kQuadBytes : end;
      const Pair made = gather(cta, shared, here, static_cast<Offset>(to - begin),
                               static_cast<Offset>(stop - begin), static_cast<Offset>(end - begin));
      put(cta, to, static_cast<uint32_t>(stop - to), made);
    }
  }

 private:
  [[nodiscard]] BOBBIN_HD uint64_t rows() const { return tiles.source.codes.size; }

  // Writes the places of a thread's rows to shared memory, and in one block of the tile to the output.
  template <class Cta>
  BOBBIN_HD void place_rows(Cta& cta, Shared& shared, uint64_t first, bool with_offsets,
                            uint64_t begin) const {
    const typename Tiles::Own own = tiles.load(cta, first);
    const Offset sum = Tiles::template sum<Offset>(own);
    const Offset through = simt::sum_through(cta, sum);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(shared.warps, cta.warp(), through);
    }
    cta.sync();
    Offset at = through - sum;
    for (uint32_t w = 0; w < cta.warp(); ++w) {
      at += cta.load(shared.warps, w);
    }
    Offset begins[Tiles::kOwn];
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < Tiles::kOwn; ++k) {
      begins[k] = at;
      at += own.size[k];
    }
    store_own(cta, shared.begins, begins);
    store_own(cta, shared.froms, own.from);
    if (with_offsets) {
      put_offsets(cta, first, begin, begins);
    }
  }

  // Uses 16-byte stores, which avoid bank conflicts.
  template <class Cta>
  BOBBIN_HD static void store_own(Cta& cta, simt::Shared<Offset, Tiles::kRows>& to,
                                  const Offset (&values)[Tiles::kOwn]) {
    constexpr uint32_t kPerQuad = kQuadBytes / sizeof(Offset);
    constexpr uint32_t kQuads = Tiles::kOwn / kPerQuad;
    auto& quads = simt::seen_as<simt::Shared<Quad, Tiles::kThreads * kQuads>>(to);
    BOBBIN_UNROLL
    for (uint32_t q = 0; q < kQuads; ++q) {
      Offset some[kPerQuad];
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kPerQuad; ++k) {
        some[k] = values[q * kPerQuad + k];
      }
      cta.store(quads, cta.thread() * kQuads + q, quad_of(some));
    }
  }

  template <class Cta>
  BOBBIN_HD void put_offsets(Cta& cta, uint64_t first, uint64_t begin,
                             const Offset (&begins)[Tiles::kOwn]) const {
    if (wide.size != 0 || first + Tiles::kOwn > rows()) {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < Tiles::kOwn; ++k) {
        if (first + k < rows()) {
          put_offset(cta, first + k, begin + begins[k]);
        }
      }
      return;
    }
    const Global<Quad> quads{reinterpret_cast<Quad*>(narrow.data), narrow.size / 4};
    BOBBIN_UNROLL
    for (uint32_t q = 0; q < Tiles::kOwn / 4; ++q) {
      uint32_t some[4];
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 4; ++k) {
        some[k] = static_cast<uint32_t>(begin + begins[q * 4 + k]);
      }
      cta.store_once(quads, first / 4 + q, quad_of(some));
    }
  }

  template <class Cta>
  BOBBIN_HD void put_offset(Cta& cta, uint64_t i, uint64_t offset) const {
    if (wide.size != 0) {
      cta.store(wide, i, offset);
    } else {
      cta.store(narrow, i, static_cast<uint32_t>(offset));
    }
  }

  // The tile's last row that begins at or before `position`.
  template <class Cta>
  BOBBIN_HD static uint32_t row_of(Cta& cta, const Shared& shared, uint32_t rows_here, Offset position) {
    uint32_t begin = 0;
    uint32_t end = rows_here;
    while (begin + 1 < end) {
      const uint32_t middle = (begin + end) / 2;
      if (cta.load(shared.begins, middle) <= position) {
        begin = middle;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  // Assembles bytes to .. stop-1 of the tile's output, at most 16.
  template <class Cta>
  BOBBIN_HD Pair gather(Cta& cta, const Shared& shared, uint32_t rows_here, Offset to, Offset stop,
                        Offset tile_end) const {
    Pair made;
    uint32_t row = row_of(cta, shared, rows_here, to);
    Offset begin = cta.load(shared.begins, row);
    for (Offset at = to; at < stop; ++row) {
      const Offset next = row + 1 < rows_here ? cta.load(shared.begins, row + 1) : tile_end;
      if (next > at) {
        const Offset end = next < stop ? next : stop;
        const uint64_t from = uint64_t{cta.load(shared.froms, row)} + (at - begin);
        const Pair part = bytes_at(cta, from).cut_and_moved(static_cast<uint32_t>(end - at),
                                                            static_cast<uint32_t>(at - to));
        made.low |= part.low;
        made.high |= part.high;
        at = end;
      }
      begin = next;
    }
    return made;
  }

  // Sixteen bytes of the entries, at any alignment.
  template <class Cta>
  BOBBIN_HD Pair bytes_at(Cta& cta, uint64_t at) const {
    const uint64_t word = at / sizeof(uint64_t);
    const auto shift = static_cast<uint32_t>(at % sizeof(uint64_t) * 8);
    const uint64_t a = cta.load(bytes, word);
    const uint64_t b = cta.load(bytes, word + 1);
    if (shift == 0) {
      return {a, b};
    }
    const uint64_t c = cta.load(bytes, word + 2);
    return {a >> shift | b << (64 - shift), b >> shift | c << (64 - shift)};
  }

  template <class Cta>
  BOBBIN_HD void put(Cta& cta, uint64_t to, uint32_t count, const Pair& made) const {
    if (count == kQuadBytes) {
      const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kQuadBytes};
      cta.store_once(quads, to / kQuadBytes,
                     Quad{{static_cast<uint32_t>(made.low), static_cast<uint32_t>(made.low >> 32),
                           static_cast<uint32_t>(made.high), static_cast<uint32_t>(made.high >> 32)}});
      return;
    }
    for (uint32_t b = 0; b < count; ++b) {
      const uint64_t word = b < 8 ? made.low : made.high;
      cta.store(out, to + b, static_cast<uint8_t>(word >> (b % 8 * 8)));
    }
  }
};

}  // namespace bobbin::codec::dict
