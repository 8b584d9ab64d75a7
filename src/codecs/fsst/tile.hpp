// SPDX-License-Identifier: Apache-2.0
// How a warp processes 512 code bytes: 16 per lane, one load.
#pragma once

#include <cstdint>

#include "codecs/fsst/fsst.hpp"
#include "core/bit_scan.hpp"
#include "core/portable.hpp"
#include "simt/cta.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::fsst {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kQuadBytes = sizeof(Quad);
inline constexpr uint32_t kLaneCodes = kQuadBytes;
inline constexpr uint32_t kWarpCodes = kLaneCodes * simt::kWarpSize;
inline constexpr uint32_t kWarpBytes = kWarpCodes * kMaxSymbolBytes;  // the most bytes they decode to
// Used as the length of invalid codes. Its top bit marks them.
inline constexpr uint8_t kNoMeaning = 128;

// How many symbols there are of each length.
struct SymbolCounts {
  uint8_t of_length[kMaxSymbolBytes];

  struct Place {
    uint32_t first = 0;   // byte in the table's symbols
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

// A block's table: 256 codes, then 256 literals, which map to themselves. There may be several adjacent
// copies of each symbol, to reduce bank conflicts.
struct SharedTable {
  static constexpr uint32_t kCopies = 1;
  static constexpr uint32_t kEntries = 512;

  simt::Shared<uint64_t, kEntries * kCopies> symbols;
  simt::Shared<uint8_t, kEntries> lengths;

  template <class Cta>
  BOBBIN_HD void fill(Cta& cta, Global<const uint8_t> bytes, const SymbolCounts& counts, uint32_t threads) {
    for (uint32_t entry = cta.thread(); entry < kEntries; entry += threads) {
      const auto place = entry < 256 ? counts.place(entry) : SymbolCounts::Place{};
      uint64_t symbol = entry < 256 ? 0 : entry - 256;
      for (uint32_t b = 0; b < place.length; ++b) {
        symbol |= uint64_t{cta.load(bytes, place.first + b)} << (8 * b);
      }
      const bool means_nothing = entry < kEscape && place.length == 0;
      cta.store(lengths, entry,
                means_nothing ? kNoMeaning : static_cast<uint8_t>(entry < 256 ? place.length : 1));
      for (uint32_t k = 0; k < kCopies; ++k) {
        cta.store(symbols, entry * kCopies + (k + cta.lane()) % kCopies, symbol);
      }
    }
  }
  template <class Cta>
  BOBBIN_HD uint64_t symbol(Cta& cta, uint32_t entry) const {
    return cta.load(symbols, entry * kCopies + cta.lane() % kCopies);
  }
  template <class Cta>
  BOBBIN_HD uint32_t length(Cta& cta, uint32_t entry) const {
    return cta.load(lengths, entry);
  }
};

BOBBIN_HD uint32_t code_at(const Quad& codes, uint32_t i) {
  return codes.word[i / 4] >> (8 * (i % 4)) & 0xff;
}
// The table index of code i of a lane, whose literals are the bits of `literals`.
BOBBIN_HD uint32_t entry_at(const Quad& codes, uint32_t literals, uint32_t i) {
  return code_at(codes, i) | ((i < 8 ? literals << (8 - i) : literals >> (i - 8)) & 256);
}

// Bit i is set if code byte i of the lane is 255.
BOBBIN_HD uint32_t escape_bytes(const Quad& codes) {
  uint32_t bits = 0;
  BOBBIN_UNROLL
  for (uint32_t w = 0; w < 4; ++w) {
    // 0x80 in every byte that is 255: only there the lower seven bits carry into a set top bit.
    const uint32_t x = codes.word[w];
    const uint32_t ones = ((x & 0x7f7f7f7f) + 0x01010101) & x & 0x80808080;
    bits |= ((ones >> 7) * 0x10204080 >> 28) << (4 * w);  // the four bits, adjacent
  }
  return bits;
}

// Finds which code bytes of a lane are literals, from its 255s and whether its first byte is one. In a run of
// 255s that begins outside a literal every second one is an escape, followed by its literal. Subtracting the
// starts of runs from a pattern of alternating bits propagates a borrow through each run, which separates
// even places from odd ones.
BOBBIN_HD uint32_t literals_of(uint32_t escape_bytes, bool first_is_literal) {
  constexpr uint32_t kOdd = 0xaaaaaaaa;
  const uint32_t first = first_is_literal ? 1 : 0;
  const uint32_t may_escape = escape_bytes & ~first;
  const uint32_t turns = ((may_escape << 1 | kOdd) - may_escape) ^ kOdd;
  return (turns ^ (escape_bytes | first)) & 0xffff;
}

// How a lane's codes map "my first byte is a literal" to the same for the next lane: unchanged if all are 255
// (an even number), and otherwise the parity of the run of 255s at their end.
struct LaneStates {
  uint32_t known = 0;  // ballot: lanes that know by themselves
  uint32_t open = 0;   // those that end with an escape
  bool odd = false;    // the last lane with codes has an odd number, all 255: it inverts the flag

  // `present` codes of each lane are valid: all, unless kPartial.
  template <bool kPartial, class Cta>
  BOBBIN_HD static LaneStates of(Cta& cta, uint32_t escape_bytes, uint32_t present) {
    const uint32_t at_top = present == 0 ? 0 : escape_bytes << (32 - present);
    const uint32_t run = leading_zeros(~at_top);
    const bool knows = present != 0 && run < present;
    LaneStates states;
    states.known = cta.ballot(knows);
    states.open = cta.ballot(knows && run % 2 != 0);
    if constexpr (kPartial) {
      states.odd = cta.any(!knows && present % 2 != 0);
    }
    return states;
  }
  // Whether `lane`'s first byte is a literal, if lane 0's is `first`.
  [[nodiscard]] BOBBIN_HD bool literal_before(uint32_t lane, bool first) const {
    const uint32_t below = lane < 32 ? known & ((1U << lane) - 1) : known;
    return below == 0 ? first : (open >> (31 - leading_zeros(below)) & 1) != 0;
  }
  // Whether the byte after all lanes' codes would be a literal.
  [[nodiscard]] BOBBIN_HD bool literal_after(bool first) const {
    return literal_before(simt::kWarpSize, first) != odd;
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

// Which of a lane's codes belong to the array.
struct LaneCodes {
  uint32_t first;
  uint32_t end;
};

// A stream of codes on the device.
struct CodeStream {
  Global<const uint8_t> codes;  // up to the array's code_end; aligned to 16 bytes
  uint64_t begin = 0;           // the array's code_begin: the codes before it are not read
  Global<const uint64_t> tiles;
  Global<const uint8_t> symbols;
  SymbolCounts counts;

  // The codes of this lane, if those of the warp begin at `at`.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD LaneCodes present(Cta& cta, uint64_t at) const {
    const uint64_t own = at + cta.lane() * kLaneCodes;
    return {.first = up_to(own, begin), .end = up_to(own, codes.size)};
  }
  template <class Cta>
  BOBBIN_HD Quad load(Cta& cta, uint64_t at) const {
    if (at + kLaneCodes <= codes.size) {
      const Global<const Quad> quads{reinterpret_cast<const Quad*>(codes.data), codes.size / kLaneCodes};
      return cta.load_once(quads, at / kLaneCodes);
    }
    Quad quad{};
    for (uint32_t i = 0; at + i < codes.size; ++i) {
      quad.word[i / 4] |= uint32_t{cta.load(codes, at + i)} << (8 * (i % 4));
    }
    return quad;
  }

 private:
  // How many of a lane's codes, the first of which is at `own`, lie before `end`.
  [[nodiscard]] BOBBIN_HD static uint32_t up_to(uint64_t own, uint64_t end) {
    const uint64_t count = own < end ? end - own : 0;
    return count < kLaneCodes ? static_cast<uint32_t>(count) : kLaneCodes;
  }
};

// A warp's 512 codes: their lengths, and where each lane's bytes begin.
struct Round {
  Quad codes;
  Quad lengths;       // one byte per code
  uint32_t literals;  // one bit per code
  uint32_t before;    // bytes of earlier lanes
  uint32_t total;     // bytes of all lanes
};

[[nodiscard]] BOBBIN_HD bool has_escape(const Quad& codes) {
  uint32_t ones = 0;
  BOBBIN_UNROLL
  for (const uint32_t x : codes.word) {
    ones |= ((x & 0x7f7f7f7f) + 0x01010101) & x;
  }
  return (ones & 0x80808080) != 0;
}

// Looks up the lengths of a lane's codes and adds up the warp's. Updates "the first byte is a literal" for
// the byte after the last. Returns false if a code is invalid. `present` are all codes, unless kPartial;
// codes before them do not end with an escape.
template <bool kEscapes, bool kPartial, class Cta>
BOBBIN_HD bool measure_round(Cta& cta, const SharedTable& table, const Quad& codes, LaneCodes present,
                             bool& literal_first, Round& round) {
  round.codes = codes;
  round.literals = 0;
  if constexpr (kEscapes) {
    const uint32_t there = kPartial ? present.end : kLaneCodes;
    const uint32_t before = kPartial ? (1U << present.first) - 1 : 0;
    const uint32_t escapes = escape_bytes(codes) & ((1U << there) - 1) & ~before;
    const auto states = LaneStates::of<kPartial>(cta, escapes, there);
    round.literals = literals_of(escapes, states.literal_before(cta.lane(), literal_first));
    literal_first = states.literal_after(literal_first);
  }
  uint32_t sum = 0;
  uint32_t poison = 0;
  BOBBIN_UNROLL
  for (uint32_t w = 0; w < 4; ++w) {
    uint32_t four = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 4 * w; i < 4 * w + 4; ++i) {
      const uint32_t entry = kEscapes ? entry_at(codes, round.literals, i) : code_at(codes, i);
      const uint32_t length = table.length(cta, entry);
      const bool counts = !kPartial || (i >= present.first && i < present.end);
      four |= (counts ? length : 0) << (8 * (i % 4));
    }
    round.lengths.word[w] = four;
    poison |= four;
    sum += four * 0x01010101 >> 24;
  }
  const uint32_t through = simt::sum_through(cta, sum);
  round.before = through - sum;
  round.total = cta.shfl(through, simt::kWarpSize - 1);
  return !cta.any((poison & 0x80808080) != 0);
}

}  // namespace bobbin::codec::fsst
