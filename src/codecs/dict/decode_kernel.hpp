// SPDX-License-Identifier: Apache-2.0
// Copies entries' bytes to rows. Work is cut by bytes of output, not by strings: a warp takes a tile, looks
// up which rows it has something of, and each lane puts 16 bytes together, wherever in strings they lie.
//
// Cost: a search among all rows for a tile, one among the tile's rows for 16 bytes; then for each string that
// has some of the 16 its offset, its code and three words of its entry, mostly from caches.
#pragma once

#include <cstdint>

#include "codecs/dict/tile.hpp"

namespace bobbin::codec::dict {

// Sixteen bytes as two words.
struct Pair {
  uint64_t low = 0;
  uint64_t high = 0;

  // The first `count` bytes, 1 to 16, moved up by `places` bytes, 0 to 15.
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

template <class Code, class Offset>
struct CopyKernel {
  static constexpr uint32_t kWarps = 8;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kQuadBytes = sizeof(Quad);
  static constexpr uint32_t kTileBytes = 8 * simt::kWarpSize * kQuadBytes;
  // Loads of entries' bytes go past their end by up to so many.
  static constexpr uint32_t kPadding = 3 * sizeof(uint64_t);
  using Shared = simt::NoShared;

  CodeSource<Code> source;
  Global<const Offset> ends;       // of entries: one more
  Global<const uint64_t> bytes;    // of entries, padded
  Global<const uint64_t> offsets;  // of rows: one more; the last is the size of the output
  Global<uint8_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t rows = source.codes.size;
    const uint64_t total = cta.load(offsets, rows);
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps * kTileBytes;
    for (uint64_t at = (uint64_t{cta.block()} * kWarps + cta.warp()) * kTileBytes; at < total; at += stride) {
      const uint64_t end = at + kTileBytes < total ? at + kTileBytes : total;
      const uint64_t first = row_of(cta, at, 0, rows);
      const uint64_t last = row_of(cta, end - 1, first, rows);
      for (uint64_t to = at + cta.lane() * kQuadBytes; to < end; to += simt::kWarpSize * kQuadBytes) {
        fill(cta, to, total, row_of(cta, to, first, last + 1));
      }
    }
  }

 private:
  // The last row that begins at or before `position`, of begin .. end-1, one of which does.
  template <class Cta>
  BOBBIN_HD uint64_t row_of(Cta& cta, uint64_t position, uint64_t begin, uint64_t end) const {
    while (begin + 1 < end) {
      const uint64_t middle = begin + (end - begin) / 2;
      if (cta.load(offsets, middle) <= position) {
        begin = middle;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  // Sixteen bytes of the entries, from any place on.
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

  // Bytes `to` to `to + 15` of the output, the first of which is `row`'s.
  template <class Cta>
  BOBBIN_HD void fill(Cta& cta, uint64_t to, uint64_t total, uint64_t row) const {
    const uint64_t end = to + kQuadBytes < total ? to + kQuadBytes : total;
    Pair made;
    uint64_t begin = cta.load(offsets, row);
    for (uint64_t at = to; at < end; ++row) {
      const uint64_t next = cta.load(offsets, row + 1);
      if (next > at) {
        const uint64_t stop = next < end ? next : end;
        const uint64_t from = uint64_t{cta.load(ends, source.entry(cta, row))} + (at - begin);
        const Pair part = bytes_at(cta, from).cut_and_moved(static_cast<uint32_t>(stop - at),
                                                            static_cast<uint32_t>(at - to));
        made.low |= part.low;
        made.high |= part.high;
        at = stop;
      }
      begin = next;
    }
    put(cta, to, static_cast<uint32_t>(end - to), made);
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
