// SPDX-License-Identifier: Apache-2.0
// What a warp does with 512 code bytes: 16 a lane, one load.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/fsst/fsst.hpp"
#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::fsst {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kQuadBytes = sizeof(Quad);
inline constexpr uint32_t kLaneCodes = kQuadBytes;
inline constexpr uint32_t kWarpCodes = kLaneCodes * simt::kWarpSize;
inline constexpr uint32_t kRounds = kTileBytes / kWarpCodes;          // a tile takes so many
inline constexpr uint32_t kWarpBytes = kWarpCodes * kMaxSymbolBytes;  // the most they stand for
// In the place of a length, for codes without meaning. Its top bit tells.
inline constexpr uint8_t kNoMeaning = 128;

// How many symbols there are of each length.
struct SymbolCounts {
  uint8_t of_length[kMaxSymbolBytes];

  struct Place {
    uint32_t first = 0;   // byte of all symbols'
    uint32_t length = 0;  // 0 for codes past the table
  };
  [[nodiscard]] BOBBIN_HD Place place(uint32_t code) const {
    uint32_t first = 0;
    for (uint32_t l = 1; l <= kMaxSymbolBytes; ++l) {
      const uint32_t count = of_length[l - 1];
      if (code < count) {
        return {first + code * l, l};
      }
      code -= count;
      first += count * l;
    }
    return {};
  }
};

// The table of a block. Half a warp loads 8 bytes a lane at a time, from 16 pairs of banks: there is a copy
// of each symbol for every pair, so that lanes never wait for each other.
inline constexpr uint32_t kCopies = 16;
struct SharedTable {
  simt::Shared<uint64_t, 256 * kCopies> symbols;
  simt::Shared<uint8_t, 256> lengths;

  template <class Cta>
  BOBBIN_HD void fill(Cta& cta, Global<const uint8_t> bytes, const SymbolCounts& counts, uint32_t threads) {
    for (uint32_t code = cta.thread(); code < 256; code += threads) {
      const auto place = counts.place(code);
      uint64_t symbol = 0;
      for (uint32_t b = 0; b < place.length; ++b) {
        symbol |= uint64_t{cta.load(bytes, place.first + b)} << (8 * b);
      }
      cta.store(lengths, code,
                static_cast<uint8_t>(place.length != 0 || code == kEscape ? place.length : kNoMeaning));
      for (uint32_t k = 0; k < kCopies; ++k) {
        cta.store(symbols, code * kCopies + (k + cta.lane()) % kCopies, symbol);
      }
    }
  }
  template <class Cta>
  BOBBIN_HD uint64_t symbol(Cta& cta, uint32_t code) const {
    return cta.load(symbols, code * kCopies + cta.lane() % kCopies);
  }
  template <class Cta>
  BOBBIN_HD uint32_t length(Cta& cta, uint32_t code) const {
    return cta.load(lengths, code);
  }
};

BOBBIN_HD uint32_t code_at(const Quad& codes, uint32_t i) {
  return codes.word[i / 4] >> (8 * (i % 4)) & 0xff;
}

// Bit i tells whether code byte i of the lane is 255.
BOBBIN_HD uint32_t escape_bytes(const Quad& codes) {
  uint32_t bits = 0;
  BOBBIN_UNROLL
  for (uint32_t w = 0; w < 4; ++w) {
    // 0x80 in every byte that is all ones: only there do seven ones carry into a set top bit.
    const uint32_t x = codes.word[w];
    const uint32_t ones = ((x & 0x7f7f7f7f) + 0x01010101) & x & 0x80808080;
    bits |= ((ones >> 7) * 0x10204080 >> 28) << (4 * w);  // the four bits, side by side
  }
  return bits;
}

// Which code bytes of a lane are literals, given where it has 255s and whether its first byte is one. In a
// run of 255s that begins outside a literal every second one is an escape, whose literal comes next.
// Subtracting the starts of runs from a pattern of alternating bits makes the borrow run through each of them
// and tell even places from odd ones.
BOBBIN_HD uint32_t literals_of(uint32_t escape_bytes, bool first_is_literal) {
  constexpr uint32_t kOdd = 0xaaaaaaaa;
  const uint32_t first = first_is_literal ? 1 : 0;
  const uint32_t may_escape = escape_bytes & ~first;
  const uint32_t turns = ((may_escape << 1 | kOdd) - may_escape) ^ kOdd;
  return (turns ^ (escape_bytes | first)) & 0xffff;
}

// What a lane's codes make of "my first byte is a literal": the same for the next lane's first byte when all
// are 255 (their number is even), and otherwise the parity of the run of 255s at their end.
struct LaneStates {
  uint32_t known = 0;  // lanes that know, as a ballot
  uint32_t open = 0;   // those that end with an escape

  template <class Cta>
  BOBBIN_HD static LaneStates of(Cta& cta, uint32_t escape_bytes, uint32_t present) {
    const uint32_t at_top = present == 0 ? 0 : escape_bytes << (32 - present);
    const auto run = static_cast<uint32_t>(std::countl_one(at_top));
    const bool knows = present != 0 && run < present;
    LaneStates states;
    states.known = cta.ballot(knows);
    states.open = cta.ballot(knows && run % 2 != 0);
    return states;
  }
  // Whether `lane`'s first byte is a literal (or that of what follows, for 32), when lane 0's is `first`.
  [[nodiscard]] BOBBIN_HD bool literal_before(uint32_t lane, bool first) const {
    const uint32_t below = lane < 32 ? known & ((1U << lane) - 1) : known;
    return below == 0 ? first : (open >> (31 - std::countl_zero(below)) & 1) != 0;
  }
};

// v shifted to the right by n bits, n from 0 to 64.
BOBBIN_HD uint64_t shift_out(uint64_t v, uint32_t n) {
#ifdef __CUDA_ARCH__
  uint64_t shifted;
  asm("shr.u64 %0, %1, %2;" : "=l"(shifted) : "l"(v), "r"(n));  // gives 0 for 64
  return shifted;
#else
  return n < 64 ? v >> n : 0;
#endif
}

}  // namespace bobbin::codec::fsst
