// SPDX-License-Identifier: Apache-2.0
// The encoder.
//
// Tiles here consist of input bytes. A block lists where the pieces of its tile begin; its threads encode one
// piece each, code by code, and mark the bytes where codes begin; the codes are then written after those of
// earlier tiles (decoupled look-back).
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/fsst/sample_kernel.hpp"
#include "codecs/fsst/tile.hpp"
#include "simt/look_back.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::fsst {

// A Matcher for kernels, small enough for several blocks per SM. Codes are ordered by length, then by bytes,
// so that a two-byte symbol is found by counting.
struct MatcherImage {
  static constexpr uint32_t kPairWords = 65536 / 32;

  uint64_t symbols[kSlots];    // 0 for an empty slot: its length is 0
  uint16_t slots[kSlots];      // code, with the length above it
  uint32_t pairs[kPairWords];  // a bit for every two bytes that are a symbol
  uint8_t first[kPairWords];   // the code of a word's first bit
  uint8_t singles[256];

  static void make(const SymbolTable& table, MatcherImage& image);
};

// The same in shared memory.
struct SharedMatcher {
  simt::Shared<uint64_t, kSlots> symbols;
  simt::Shared<uint16_t, kSlots> slots;
  simt::Shared<uint32_t, MatcherImage::kPairWords> pairs;
  simt::Shared<uint8_t, MatcherImage::kPairWords> first;
  simt::Shared<uint8_t, 256> singles;

  template <class Cta>
  BOBBIN_HD void fill(Cta& cta, const MatcherImage* image, uint32_t threads) {
    const auto copy = [&]<class T, uint32_t N>(const T* from, simt::Shared<T, N>& to) {
      for (uint32_t i = cta.thread(); i < N; i += threads) {
        cta.store(to, i, cta.load(Global<const T>{from, N}, i));
      }
    };
    copy(image->symbols, symbols);
    copy(image->slots, slots);
    copy(image->pairs, pairs);
    copy(image->first, first);
    copy(image->singles, singles);
  }

  // Code, with the length above it, of the longest symbol at the start of the first `rest` bytes of `word`.
  // All candidates are computed before one is selected, so that lanes do not diverge.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t longest(Cta& cta, uint64_t word, uint32_t rest) const {
    const uint32_t slot = slot_of(static_cast<uint32_t>(word));
    const uint32_t match = cta.load(slots, slot);
    const uint32_t length = match >> 8;
    const uint64_t differ = word ^ cta.load(symbols, slot);
    const bool fits = (length - 1 < rest) & (differ << ((64 - 8 * length) & 63) == 0);
    const uint32_t two = static_cast<uint32_t>(word) & 0xffff;
    const uint32_t bits = cta.load(pairs, two / 32);
    const uint32_t bit = uint32_t{1} << (two % 32);
    const uint32_t pair = cta.load(first, two / 32) + static_cast<uint32_t>(std::popcount(bits & (bit - 1)));
    const uint32_t single = cta.load(singles, two & 0xff);
    const bool is_pair = (bits & bit) != 0 && rest >= 2;
    return fits ? match : is_pair ? pair | 2U << 8 : single | 1U << 8;
  }
};

struct EncodeKernel {
  static constexpr uint32_t kThreads = 512;
  static constexpr uint32_t kMinBlocks = 2;  // while one waits for earlier tiles, the other encodes
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kTile = 28 * 1024;
  static constexpr uint32_t kPositions =
      kTile + kPieceBytes;  // a piece that begins in the tile may end later
  static constexpr uint32_t kQuads = kPositions / kQuadBytes + 1;  // words are read ahead
  static constexpr uint32_t kWords = kPositions / 32 + 1;  // of a bitmap: one bit per position and one more
  static constexpr uint32_t kOwned = 2;                    // words per thread
  static_assert(kOwned * kThreads >= kWords && 2 * kPositions < 65536);
  static constexpr uint32_t kListed = 2048;
  static constexpr uint32_t kClasses = 2 * simt::kWarpSize;  // of pieces, by their length

  struct Shared {
    SharedMatcher matcher;
    simt::Shared<Quad, kQuads> bytes;
    simt::Shared<uint32_t, kPositions / 4> codes;  // a code, or an escape's literal, at its first byte
    simt::Shared<uint32_t, kWords> begins;         // a bit where a piece begins, and one at the end
    simt::Shared<uint32_t, kWords> taken;          // where a code begins
    simt::Shared<uint32_t, kWords> escaped;        // where that is an escape
    simt::Shared<uint16_t, kWords> before;         // codes before each word's
    simt::Shared<uint16_t, kListed + 1> pieces;    // where pieces begin, and the last one ends
    simt::Shared<uint16_t, kListed> order;         // of the tile's pieces, longest first
    simt::Shared<uint32_t, kClasses> classes;      // next free place of each class in `order`
    simt::Shared<uint32_t, kWarps> sums;
    simt::Shared<uint64_t, 2> tile;  // its index; codes before it
  };

  DeviceOffsets offsets;
  Global<const uint8_t> bytes;
  Global<const MatcherImage> matcher;
  Global<const uint64_t> firsts;
  Global<uint64_t> states;  // one word per tile, initially zero
  Global<uint64_t> counts;  // [0]: the next tile, initially zero; [1]: receives the total number of codes
  Global<uint8_t> codes;    // may be too small: compare with counts[1]
  Global<uint64_t> code_offsets;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    shared.matcher.fill(cta, matcher.data, kThreads);
    for (uint32_t i = cta.thread(); i < kPositions / 4; i += kThreads) {
      cta.store(shared.codes, i, uint32_t{0});  // so that four may be read even if not all are codes
    }
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
  BOBBIN_HD void encode_tile(Cta& cta, Shared& shared, uint64_t tile) const {
    const uint64_t begin = tile * kTile;
    const auto present =
        static_cast<uint32_t>(bytes.size - begin < kPositions ? bytes.size - begin : kPositions);
    load_bytes(cta, shared, begin, present);
    for (uint32_t w = cta.thread(); w < kWords; w += kThreads) {
      cta.store(shared.begins, w, uint32_t{0});
      cta.store(shared.taken, w, uint32_t{0});
      cta.store(shared.escaped, w, uint32_t{0});
    }
    cta.sync();
    mark_pieces(cta, shared, tile, present);
    cta.sync();
    walk(cta, shared);
    write(cta, shared, tile);
  }

  template <class Cta>
  BOBBIN_HD void load_bytes(Cta& cta, Shared& shared, uint64_t begin, uint32_t present) const {
    const bool aligned = reinterpret_cast<uintptr_t>(bytes.data) % kQuadBytes == 0;
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(bytes.data), bytes.size / kQuadBytes};
    for (uint32_t q = cta.thread(); q < kQuads; q += kThreads) {
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

  // Marks where pieces begin: at strings, and every 512 bytes within one.
  template <class Cta>
  BOBBIN_HD void mark_pieces(Cta& cta, Shared& shared, uint64_t tile, uint32_t present) const {
    const uint64_t begin = tile * kTile;
    const uint64_t first = cta.load(firsts, tile);
    const uint64_t end = cta.load(firsts, tile + 2 < firsts.size ? tile + 2 : firsts.size - 1);
    if (cta.thread() == 0) {
      mark(cta, shared, present);
    }
    // The string before the first one may extend into the tile.
    for (uint64_t s = (first == 0 ? 0 : first - 1) + cta.thread(); s < end; s += kThreads) {
      const uint64_t start = offsets.at(cta, s);
      if (start >= begin + present) {
        return;
      }
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

  [[nodiscard]] BOBBIN_HD static uint32_t bits_of(uint32_t word) {
    return static_cast<uint32_t>(std::popcount(word));
  }
  template <class Cta, uint32_t N>
  [[nodiscard]] BOBBIN_HD static uint32_t own_word(Cta& cta, const simt::Shared<uint32_t, N>& words,
                                                   uint32_t i) {
    const uint32_t w = cta.thread() * kOwned + i;
    return w < N ? cta.load(words, w) : 0;
  }

  // Encodes all pieces that begin in the tile, kListed at a time.
  template <class Cta>
  BOBBIN_HD void walk(Cta& cta, Shared& shared) const {
    uint32_t own = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kOwned; ++i) {
      own += bits_of(own_word(cta, shared.begins, i));
    }
    const auto [before, begins] = sum_before(cta, shared, own);
    for (uint32_t first = 0; first + 1 < begins; first += kListed) {
      list_pieces(cta, shared, before, first);
      cta.sync();
      sort_pieces(cta, shared, begins - 1 - first < kListed ? begins - 1 - first : kListed);
      walk_listed(cta, shared);
      cta.sync();
    }
  }

  // Lists the pieces from `first` on, of which `before` begin in earlier threads' words.
  template <class Cta>
  BOBBIN_HD void list_pieces(Cta& cta, Shared& shared, uint32_t before, uint32_t first) const {
    uint32_t piece = before;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kOwned; ++i) {
      for (uint32_t word = own_word(cta, shared.begins, i); word != 0; word &= word - 1, ++piece) {
        if (piece >= first && piece - first <= kListed) {
          const uint32_t p = (cta.thread() * kOwned + i) * 32 + trailing_zeros(word);
          cta.store(shared.pieces, piece - first, static_cast<uint16_t>(p));
        }
      }
    }
  }

  // Sorts the tile's pieces roughly by length, so that the lanes of a warp have about equal work. The order
  // within a class does not matter.
  template <class Cta>
  BOBBIN_HD void sort_pieces(Cta& cta, Shared& shared, uint32_t listed) const {
    const auto each = [&](auto&& f) {
      for (uint32_t i = cta.thread(); i < listed; i += kThreads) {
        const uint32_t begin = cta.load(shared.pieces, i);
        if (begin < kTile) {
          const uint32_t bytes_in_it = cta.load(shared.pieces, i + 1) - begin;
          const uint32_t c = (kPieceBytes - bytes_in_it) * kClasses / kPieceBytes;
          f(i, cta.template atomic_add<simt::Order::relaxed>(shared.classes, c, uint32_t{1}));
        }
      }
      cta.sync();
    };
    if (cta.thread() < kClasses) {
      cta.store(shared.classes, cta.thread(), uint32_t{0});
    }
    cta.sync();
    each([](uint32_t, uint32_t) {});
    if (cta.warp() == 0) {
      const uint32_t at = cta.lane() * 2;
      const uint32_t even = cta.load(shared.classes, at);
      const uint32_t both = even + cta.load(shared.classes, at + 1);
      const uint32_t earlier = simt::sum_through(cta, both) - both;
      cta.store(shared.classes, at, earlier);
      cta.store(shared.classes, at + 1, earlier + even);
    }
    cta.sync();
    each([&](uint32_t i, uint32_t place) { cta.store(shared.order, place, static_cast<uint16_t>(i)); });
  }

  // The three words that hold the eight bytes from p on. The next two are loaded while a symbol is searched
  // for, to hide their latency.
  struct Window {
    uint32_t word[3];

    template <class Cta>
    [[nodiscard]] BOBBIN_HD static uint32_t load(Cta& cta, const Shared& shared, uint32_t w) {
      return cta.load(reinterpret_cast<const simt::Shared<uint32_t, kQuads * 4>&>(shared.bytes), w);
    }
    template <class Cta>
    [[nodiscard]] BOBBIN_HD static Window at(Cta& cta, const Shared& shared, uint32_t p) {
      return {{load(cta, shared, p / 4), load(cta, shared, p / 4 + 1), load(cta, shared, p / 4 + 2)}};
    }
    [[nodiscard]] BOBBIN_HD uint64_t bytes(uint32_t p) const {
      const uint32_t shift = 8 * (p % 4);
      const uint64_t low = (word[0] | uint64_t{word[1]} << 32) >> shift;
      const uint64_t high = (word[1] | uint64_t{word[2]} << 32) >> shift;
      return static_cast<uint32_t>(low) | high << 32;
    }
    // Advances by up to two words.
    BOBBIN_HD void move(uint32_t words, uint32_t third, uint32_t fourth) {
      const uint32_t all[5] = {word[0], word[1], word[2], third, fourth};
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 3; ++i) {
        word[i] = words == 0 ? all[i] : words == 1 ? all[i + 1] : all[i + 2];
      }
    }
  };

  // A thread continues with its next piece as soon as one is done: lanes wait for each other only at the end.
  template <class Cta>
  BOBBIN_HD void walk_listed(Cta& cta, Shared& shared) const {
    auto& codes_there = reinterpret_cast<simt::Shared<uint8_t, kPositions>&>(shared.codes);
    const uint32_t sorted = cta.load(shared.classes, kClasses - 1);  // where the last class ended
    uint32_t next = cta.thread();
    uint32_t p = 0;
    uint32_t end = 0;
    Window window{};
    while (true) {
      if (p == end) {
        if (next >= sorted) {
          return;
        }
        const uint32_t piece = cta.load(shared.order, next);
        p = cta.load(shared.pieces, piece);
        end = cta.load(shared.pieces, piece + 1);
        next += kThreads;
        window = Window::at(cta, shared, p);
      }
      const uint32_t third = Window::load(cta, shared, p / 4 + 3);
      const uint32_t fourth = Window::load(cta, shared, p / 4 + 4);
      const uint64_t word = window.bytes(p);
      const uint32_t match = shared.matcher.longest(cta, word, end - p);
      const bool escape = (match & 0xff) == kEscape;
      const uint32_t bit = uint32_t{1} << (p % 32);
      cta.store(codes_there, p, static_cast<uint8_t>(escape ? word : match));
      cta.template atomic_or<simt::Order::relaxed>(shared.taken, p / 32, bit);
      if (escape) {
        cta.template atomic_or<simt::Order::relaxed>(shared.escaped, p / 32, bit);
      }
      const uint32_t after = p + (match >> 8);
      window.move(after / 4 - p / 4, third, fourth);
      p = after;
    }
  }

  // Writes a tile's codes and its strings' offsets, once the number of codes before it is known.
  template <class Cta>
  BOBBIN_HD void write(Cta& cta, Shared& shared, uint64_t tile) const {
    uint32_t counts_of[kOwned];
    uint32_t own = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kOwned; ++i) {
      counts_of[i] = bits_of(own_word(cta, shared.taken, i)) + bits_of(own_word(cta, shared.escaped, i));
      own += counts_of[i];
    }
    auto [before, total] = sum_before(cta, shared, own);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kOwned; before += counts_of[i++]) {
      if (const uint32_t w = cta.thread() * kOwned + i; w < kWords) {
        cta.store(shared.before, w, static_cast<uint16_t>(before));
      }
    }
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
    if (earlier + total <= codes.size) {  // otherwise the caller retries with more space
      write_codes(cta, shared, {codes.data + earlier, total});
    }
    write_offsets(cta, shared, tile, earlier);
  }

  struct Sums {
    uint32_t before;
    uint32_t total;
  };
  template <class Cta>
  BOBBIN_HD Sums sum_before(Cta& cta, Shared& shared, uint32_t count) const {
    const uint32_t through = simt::sum_through(cta, count);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(shared.sums, cta.warp(), through);
    }
    cta.sync();
    const uint32_t warps =
        simt::sum_through(cta, cta.lane() < kWarps ? cta.load(shared.sums, cta.lane()) : 0);
    const uint32_t total = cta.shfl(warps, simt::kWarpSize - 1);
    const uint32_t earlier = cta.shfl(warps, cta.warp() == 0 ? 0 : cta.warp() - 1);
    return {(cta.warp() == 0 ? 0 : earlier) + through - count, total};
  }

  // Number of codes in word w below bit `bit`.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t codes_before(Cta& cta, const Shared& shared, uint32_t w,
                                                       uint32_t bit) {
    const uint32_t below = (uint32_t{1} << bit) - 1;
    return cta.load(shared.before, w) + bits_of(cta.load(shared.taken, w) & below) +
           bits_of(cta.load(shared.escaped, w) & below);
  }

  // A warp processes the positions of four words at a time, each lane four of them, so that neighbouring
  // codes are stored together.
  template <class Cta>
  BOBBIN_HD void write_codes(Cta& cta, const Shared& shared, Global<uint8_t> to) const {
    constexpr uint32_t kLanes = 32 / 4;  // for a word
    const uint32_t bit = cta.lane() % kLanes * 4;
    for (uint32_t w = cta.warp() * 4 + cta.lane() / kLanes; w + 1 < kWords; w += kWarps * 4) {
      const uint32_t taken = cta.load(shared.taken, w) >> bit;
      const uint32_t escaped = cta.load(shared.escaped, w) >> bit;
      const uint32_t four = cta.load(shared.codes, w * kLanes + bit / 4);
      uint32_t at = codes_before(cta, shared, w, bit);
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < 4; ++b) {
        if ((escaped >> b & 1) != 0) {
          cta.store(to, at++, kEscape);
        }
        if ((taken >> b & 1) != 0) {
          cta.store(to, at++, static_cast<uint8_t>(four >> (8 * b)));
        }
      }
    }
  }

  // Writes the number of codes before each string that begins in the tile, and after the last tile the total.
  template <class Cta>
  BOBBIN_HD void write_offsets(Cta& cta, const Shared& shared, uint64_t tile, uint64_t earlier) const {
    const bool last = tile + 1 == states.size;
    const uint64_t end = last ? offsets.length + 1 : cta.load(firsts, tile + 1);
    for (uint64_t s = cta.load(firsts, tile) + cta.thread(); s < end; s += kThreads) {
      const auto at = static_cast<uint32_t>(offsets.at(cta, s) - tile * kTile);
      cta.store(code_offsets, s, earlier + codes_before(cta, shared, at / 32, at % 32));
    }
  }
};

}  // namespace bobbin::codec::fsst
