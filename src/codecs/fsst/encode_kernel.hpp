// SPDX-License-Identifier: Apache-2.0
// The encoder, and what it needs before: a sample of the strings, and where each tile's strings begin.
//
// Tiles here are of input bytes. A block finds the longest symbol at every byte of its tile at once, as if
// codes began everywhere; then each piece of a string is walked from code to code, which marks the bytes
// where codes do begin; and those are written, behind what earlier tiles write (decoupled look-back).
#pragma once

#include <cstdint>

#include "codecs/fsst/tile.hpp"
#include "simt/look_back.hpp"

namespace bobbin::codec::fsst {

// Offsets of strings on the device, of either size.
struct DeviceOffsets {
  Global<const uint32_t> narrow;
  Global<const uint64_t> wide;
  uint64_t base;  // the first one
  uint64_t length;

  // Where string i begins, counted from the first one's begin; `length` for the end.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint64_t at(Cta& cta, uint64_t i) const {
    return (wide.data != nullptr ? cta.load(wide, i) : cta.load(narrow, i)) - base;
  }
  // The first string that begins at `position` or after it; `length` when there is none.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint64_t first_from(Cta& cta, uint64_t position) const {
    uint64_t low = 0;
    for (uint64_t high = length; low < high;) {
      const uint64_t middle = low + (high - low) / 2;
      if (at(cta, middle) < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

// Copies the bytes of a sample, and tells for each whether a string begins there.
struct SampleKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  DeviceOffsets offsets;
  Global<const uint8_t> bytes;
  Global<const uint64_t> windows;  // where each begins
  uint32_t window_bytes;
  Global<uint8_t> sample;
  Global<uint8_t> begins;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= sample.size) {
      return;
    }
    const uint64_t position = cta.load(windows, i / window_bytes) + i % window_bytes;
    cta.store(sample, i, cta.load(bytes, position));
    const uint64_t string = offsets.first_from(cta, position);
    const bool begin = string < offsets.length && offsets.at(cta, string) == position;
    cta.store(begins, i, static_cast<uint8_t>(begin ? 1 : 0));
  }
};

// For each tile, the first string that begins in it or after it.
struct LocateKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  DeviceOffsets offsets;
  uint32_t tile_bytes;
  Global<uint64_t> firsts;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t tile = uint64_t{cta.block()} * kThreads + cta.thread();
    if (tile < firsts.size) {
      cta.store(firsts, tile, offsets.first_from(cta, tile * tile_bytes));
    }
  }
};

// A Matcher as kernels want it. Codes are in order of their lengths, so a code below `ones` has one byte, and
// of symbols found by their first two bytes any other has two.
struct MatcherImage {
  uint64_t symbols[kSlots];  // 0 for an empty slot: its length is 0
  uint8_t pairs[65536];
  uint16_t slots[kSlots];  // code, and length above it
  uint8_t singles[256];
  uint32_t ones;

  static void make(const Table& table, MatcherImage& image);
};

struct EncodeKernel {
  static constexpr uint32_t kThreads = 512;
  static constexpr uint32_t kMinBlocks = 2;  // while one walks or waits, the other finds symbols
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kTile = 4096;
  static constexpr uint32_t kPositions =
      kTile + kPieceBytes;               // a piece that begins in the tile may end later
  static constexpr uint32_t kOwned = 9;  // a thread, when positions are cut in runs
  static constexpr uint32_t kSpan = kOwned * kThreads;
  static_assert(kSpan >= kPositions);
  static constexpr uint32_t kStageBytes = 2 * kPositions + 2 * kQuadBytes;
  static constexpr uint16_t kTaken = 1U << 15;
  static constexpr uint16_t kLast = 1U << 14;  // of its piece

  struct Shared {
    simt::Shared<uint64_t, kSlots> symbols;
    simt::Shared<uint8_t, 65536> pairs;
    simt::Shared<uint16_t, kSlots> slots;
    simt::Shared<uint8_t, 256> singles;
    simt::Shared<Quad, kPositions / kQuadBytes + 1> bytes;
    simt::Shared<uint32_t, kSpan / 32 + 2> begins;  // a bit where a piece begins, or nothing more does
    simt::Shared<uint16_t, kSpan> matches;          // code, length above it, flags; later the codes before
    simt::Shared<Quad, kStageBytes / kQuadBytes> stage;
    simt::Shared<uint32_t, kWarps> sums;
    simt::Shared<uint64_t, 2> tile;  // its number; codes before it
  };

  DeviceOffsets offsets;
  Global<const uint8_t> bytes;
  Global<const MatcherImage> matcher;
  Global<const uint64_t> firsts;
  Global<uint64_t> states;  // a word a tile, zero
  Global<uint64_t> counts;  // [0]: the next tile, zero; [1] receives the number of codes in all
  Global<uint8_t> codes;    // whether all fit, counts[1] tells
  Global<uint64_t> code_offsets;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    load_matcher(cta, shared);
    const uint64_t tiles = states.size;
    while (true) {
      if (cta.thread() == 0) {
        cta.store(shared.tile, 0, cta.template atomic_add<simt::Order::relaxed>(counts, 0, uint64_t{1}));
      }
      cta.sync();
      const uint64_t tile = cta.load(shared.tile, 0);
      if (tile >= tiles) {
        return;
      }
      encode_tile(cta, shared, tile);
      cta.sync();
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD void load_matcher(Cta& cta, Shared& shared) const {
    const MatcherImage* image = matcher.data;
    const auto copy = [&]<class T, uint32_t N>(const T* from, simt::Shared<T, N>& to) {
      for (uint32_t i = cta.thread(); i < N; i += kThreads) {
        cta.store(to, i, cta.load(Global<const T>{from, N}, i));
      }
    };
    copy(image->symbols, shared.symbols);
    copy(image->pairs, shared.pairs);
    copy(image->slots, shared.slots);
    copy(image->singles, shared.singles);
  }

  template <class Cta>
  BOBBIN_HD void encode_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t begin = tile * kTile;
    const auto present =
        static_cast<uint32_t>(bytes.size - begin < kPositions ? bytes.size - begin : kPositions);
    load_bytes(cta, shared, begin, present);
    for (uint32_t w = cta.thread(); w < kSpan / 32 + 2; w += kThreads) {
      cta.store(shared.begins, w, uint32_t{0});
    }
    cta.sync();
    mark_pieces(cta, shared, tile, present);
    cta.sync();
    const uint32_t ones = cta.load(Global<const uint32_t>{&matcher.data->ones, 1}, 0);
    for (uint32_t p = cta.thread(); p < kSpan; p += kThreads) {
      cta.store(shared.matches, p, p < present ? longest(cta, shared, p, ones) : uint16_t{0});
    }
    cta.sync();
    walk(cta, shared, present < kTile ? present : kTile);
    cta.sync();
    write(cta, shared, tile, present);
  }

  template <class Cta>
  BOBBIN_HD void load_bytes(Cta& cta, Shared& shared, uint64_t begin, uint32_t present) const {
    const bool aligned = reinterpret_cast<uintptr_t>(bytes.data) % kQuadBytes == 0;
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(bytes.data), bytes.size / kQuadBytes};
    for (uint32_t q = cta.thread(); q < kPositions / kQuadBytes + 1; q += kThreads) {
      Quad quad{};
      const uint32_t at = q * kQuadBytes;
      if (aligned && at + kQuadBytes <= present) {
        quad = cta.load_once(quads, (begin + at) / kQuadBytes);
      } else {
        BOBBIN_UNROLL
        for (uint32_t b = 0; b < kQuadBytes; ++b) {
          if (at + b < present) {
            quad.word[b / 4] |= uint32_t{cta.load(bytes, begin + at + b)} << (8 * (b % 4));
          }
        }
      }
      cta.store(shared.bytes, q, quad);
    }
  }

  // Where pieces begin: strings, and every 512 bytes within one.
  template <class Cta>
  BOBBIN_HD void mark_pieces(Cta& cta, Shared& shared, uint64_t tile, uint32_t present) const {
    const uint64_t begin = tile * kTile;
    const uint64_t first = cta.load(firsts, tile);
    const uint64_t end = cta.load(firsts, tile + 2 < firsts.size ? tile + 2 : firsts.size - 1);
    if (cta.thread() == 0) {
      mark(cta, shared, present);
    }
    // The string before the first one may reach into the tile.
    for (uint64_t s = (first == 0 ? 0 : first - 1) + cta.thread(); s < end; s += kThreads) {
      const uint64_t start = offsets.at(cta, s);
      const uint64_t stop = offsets.at(cta, s + 1);
      const uint64_t skipped = start < begin ? (begin - start + kPieceBytes - 1) / kPieceBytes : 0;
      for (uint64_t at = start + skipped * kPieceBytes; at < stop && at < begin + present;
           at += kPieceBytes) {
        mark(cta, shared, static_cast<uint32_t>(at - begin));
      }
    }
  }
  template <class Cta>
  BOBBIN_HD static void mark(Cta& cta, Shared& shared, uint32_t p) {
    cta.template atomic_or<simt::Order::relaxed>(shared.begins, p / 32, uint32_t{1} << (p % 32));
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool is_begin(Cta& cta, const Shared& shared, uint32_t p) {
    return (cta.load(shared.begins, p / 32) >> (p % 32) & 1) != 0;
  }

  // Code and length of the longest symbol at p that lies within its piece, and whether the piece ends with
  // it.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint16_t longest(Cta& cta, const Shared& shared, uint32_t p, uint32_t ones) const {
    const auto& words =
        reinterpret_cast<const simt::Shared<uint32_t, (kPositions / kQuadBytes + 1) * 4>&>(shared.bytes);
    const uint32_t low = cta.load(words, p / 4);
    const uint32_t middle = cta.load(words, p / 4 + 1);
    const uint32_t high = cta.load(words, p / 4 + 2);
    const uint64_t word = (low | uint64_t{middle} << 32) >> (8 * (p % 4)) | (uint64_t{high} << 1)
                                                                                << (63 - 8 * (p % 4));
    // Bytes until the next piece: the lowest of the eight bits behind p's.
    const uint64_t ahead =
        (cta.load(shared.begins, (p + 1) / 32) | uint64_t{cta.load(shared.begins, (p + 1) / 32 + 1)} << 32) >>
        ((p + 1) % 32);
    const uint32_t rest = 1 + trailing_zeros(static_cast<uint32_t>(ahead) | 0x80);
    const uint32_t slot = slot_of(static_cast<uint32_t>(word));
    uint32_t match = cta.load(shared.slots, slot);
    const uint32_t length = match >> 8;
    const uint64_t differ = word ^ cta.load(shared.symbols, slot);
    if (length == 0 || length > rest || differ << (64 - 8 * length) != 0) {
      const uint32_t pair = cta.load(shared.pairs, static_cast<uint32_t>(word) & 0xffff);
      const bool two = pair != kEscape && pair >= ones && rest >= 2;
      match = two ? pair | 2U << 8 : cta.load(shared.singles, static_cast<uint32_t>(word) & 0xff) | 1U << 8;
    }
    const bool last = (ahead >> ((match >> 8) - 1) & 1) != 0;
    return static_cast<uint16_t>(match | (last ? kLast : 0));
  }

  // Marks where codes begin: each thread walks the pieces that begin in its run.
  template <class Cta>
  BOBBIN_HD void walk(Cta& cta, Shared& shared, uint32_t end) const {
    for (uint32_t p = cta.thread() * kOwned; p < (cta.thread() + 1) * kOwned && p < end; ++p) {
      if (is_begin(cta, shared, p)) {
        uint16_t match = 0;
        for (uint32_t at = p; (match & kLast) == 0; at += match >> 8) {
          match = cta.load(shared.matches, at);
          cta.store(shared.matches, at, static_cast<uint16_t>(match | kTaken));
        }
      }
    }
  }

  [[nodiscard]] BOBBIN_HD static uint32_t codes_of(uint16_t match) {
    return match < kTaken ? 0 : (match & 0xff) == kEscape ? 2 : 1;
  }

  template <class Cta>
  BOBBIN_HD void write(Cta& cta, Shared& shared, uint64_t tile, uint32_t present) const {
    uint16_t own[kOwned];
    uint32_t count = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kOwned; ++i) {
      own[i] = cta.load(shared.matches, cta.thread() * kOwned + i);
      count += codes_of(own[i]);
    }
    const auto [before, total] = sum_before(cta, shared, count);
    if (cta.warp() == 0) {
      const uint64_t earlier = simt::look_back(cta, states, tile, total);
      if (cta.lane() == 0) {
        cta.store(shared.tile, 1, earlier);
        if (tile + 1 == states.size) {
          cta.store(counts, 1, earlier + total);
        }
      }
    }
    cta.sync();
    const uint64_t earlier = cta.load(shared.tile, 1);
    write_stage(cta, shared, own, before, static_cast<uint32_t>(earlier % kQuadBytes));
    cta.sync();
    copy_out(cta, shared, earlier, total);
    write_offsets(cta, shared, tile, present, earlier, total);
  }

  struct Sums {
    uint32_t before;
    uint32_t total;
  };
  template <class Cta>
  BOBBIN_HD Sums sum_before(Cta& cta, Shared& shared, uint32_t count) const {
    const auto through_warp = [&](uint32_t v) {
      BOBBIN_UNROLL
      for (uint32_t d = 1; d < simt::kWarpSize; d *= 2) {
        const uint32_t other = cta.shfl_up(v, d);
        v += cta.lane() >= d ? other : 0;
      }
      return v;
    };
    const uint32_t through = through_warp(count);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(shared.sums, cta.warp(), through);
    }
    cta.sync();
    const uint32_t warps = through_warp(cta.lane() < kWarps ? cta.load(shared.sums, cta.lane()) : 0);
    const uint32_t total = cta.shfl(warps, simt::kWarpSize - 1);
    const uint32_t earlier = cta.shfl(warps, cta.warp() == 0 ? 0 : cta.warp() - 1);
    return {(cta.warp() == 0 ? 0 : earlier) + through - count, total};
  }

  // Puts a thread's codes where they go, and beside each position how many come before it.
  template <class Cta>
  BOBBIN_HD void write_stage(Cta& cta, Shared& shared, const uint16_t (&own)[kOwned], uint32_t before,
                             uint32_t phase) const {
    auto& stage = reinterpret_cast<simt::Shared<uint8_t, kStageBytes>&>(shared.stage);
    auto& input = reinterpret_cast<const simt::Shared<uint8_t, (kPositions / kQuadBytes + 1) * kQuadBytes>&>(
        shared.bytes);
    uint32_t to = before;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kOwned; ++i) {
      const uint32_t p = cta.thread() * kOwned + i;
      cta.store(shared.matches, p, static_cast<uint16_t>(to));
      if (own[i] >= kTaken) {
        const auto code = static_cast<uint8_t>(own[i]);
        cta.store(stage, phase + to++, code);
        if (code == kEscape) {
          cta.store(stage, phase + to++, cta.load(input, p));
        }
      }
    }
  }

  template <class Cta>
  BOBBIN_HD void copy_out(Cta& cta, Shared& shared, uint64_t earlier, uint32_t total) const {
    if (earlier + total > codes.size) {
      return;  // the caller finds out, and comes again with more room
    }
    auto& stage = reinterpret_cast<simt::Shared<uint8_t, kStageBytes>&>(shared.stage);
    const auto phase = static_cast<uint32_t>(earlier % kQuadBytes);
    const uint64_t base = earlier - phase;
    const uint32_t end = phase + total;
    const Global<Quad> to{reinterpret_cast<Quad*>(codes.data), codes.size / kQuadBytes};
    for (uint32_t q = cta.thread(); q * kQuadBytes < end; q += kThreads) {
      if ((q > 0 || phase == 0) && (q + 1) * kQuadBytes <= end) {
        cta.store_once(to, base / kQuadBytes + q, cta.load(shared.stage, q));
      } else {
        const uint32_t stop = (q + 1) * kQuadBytes < end ? (q + 1) * kQuadBytes : end;
        for (uint32_t b = q == 0 ? phase : q * kQuadBytes; b < stop; ++b) {
          cta.store(codes, base + b, cta.load(stage, b));
        }
      }
    }
  }

  // Codes before each string that begins in the tile; with the last tile, at the end of all.
  template <class Cta>
  BOBBIN_HD void write_offsets(Cta& cta, Shared& shared, uint64_t tile, uint32_t present, uint64_t earlier,
                               uint32_t total) const {
    const bool last = tile + 1 == states.size;
    const uint64_t end = last ? offsets.length + 1 : cta.load(firsts, tile + 1);
    for (uint64_t s = cta.load(firsts, tile) + cta.thread(); s < end; s += kThreads) {
      const uint64_t at = offsets.at(cta, s) - tile * kTile;
      cta.store(
          code_offsets, s,
          earlier + (last && at >= present ? total : cta.load(shared.matches, static_cast<uint32_t>(at))));
    }
  }
};

}  // namespace bobbin::codec::fsst
