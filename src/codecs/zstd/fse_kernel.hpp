// SPDX-License-Identifier: Apache-2.0
// FSE tables in shared memory: one lane reads a description, a whole warp builds the table.
#pragma once

#include "codecs/zstd/tile.hpp"
#include "core/bit_scan.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::zstd {

// Base values and extra bits of symbols, by rule: tables would be looked up at 32 places at a time.
struct LengthSymbols {
  [[nodiscard]] BOBBIN_HD static uint32_t literal_extra(uint32_t s) {
    constexpr uint64_t kMiddle = 0x433221111;  // symbols 16 to 24
    return s < 16 ? 0 : s < 25 ? static_cast<uint32_t>(kMiddle >> (4 * (s - 16)) & 15) : s - 19;
  }
  [[nodiscard]] BOBBIN_HD static uint32_t literal_base(uint32_t s) {
    return s < 16   ? s
           : s < 20 ? 16 + 2 * (s - 16)
           : s < 22 ? 24 + 4 * (s - 20)
           : s < 25 ? 32 + 8 * (s - 22)
                    : uint32_t{1} << (s - 19);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t match_extra(uint32_t s) {
    constexpr uint64_t kMiddle = 0x54433221111;  // symbols 32 to 42
    return s < 32 ? 0 : s < 43 ? static_cast<uint32_t>(kMiddle >> (4 * (s - 32)) & 15) : s - 36;
  }
  [[nodiscard]] BOBBIN_HD static uint32_t match_base(uint32_t s) {
    return s < 32   ? s + 3
           : s < 36 ? 35 + 2 * (s - 32)
           : s < 38 ? 43 + 4 * (s - 36)
           : s < 40 ? 51 + 8 * (s - 38)
           : s < 43 ? 67 + 16 * (s - 40)
                    : 3 + (uint32_t{1} << (s - 36));
  }
};

// The three tables of sequences.
enum : uint32_t { kLiteralField, kOffsetField, kMatchField, kFields };

struct FieldRules {
  [[nodiscard]] BOBBIN_HD static uint32_t max_log(uint32_t field) { return field == kOffsetField ? 8 : 9; }
  [[nodiscard]] BOBBIN_HD static uint32_t num_symbols(uint32_t field) {
    return field == kLiteralField ? 36 : field == kOffsetField ? 32 : 53;
  }
  [[nodiscard]] BOBBIN_HD static uint32_t extra_bits(uint32_t field, uint32_t s) {
    return field == kLiteralField  ? LengthSymbols::literal_extra(s)
           : field == kOffsetField ? s
                                   : LengthSymbols::match_extra(s);
  }
};

// A state of a table: its symbol, and its number among the symbol's states, from the symbol's count on. How
// many bits lead to the next state follows from the number, so that two bytes are enough.
struct FseEntry {
  static constexpr uint32_t kNumberBits = 10;

  [[nodiscard]] BOBBIN_HD static uint16_t pack(uint32_t number, uint32_t symbol) {
    return static_cast<uint16_t>(number | symbol << kNumberBits);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t number(uint32_t entry) { return low_bits(entry, kNumberBits); }
  [[nodiscard]] BOBBIN_HD static uint32_t symbol(uint32_t entry) { return entry >> kNumberBits; }
  // In a table of 2^log states.
  [[nodiscard]] BOBBIN_HD static uint32_t bits(uint32_t entry, uint32_t log) {
    return log + 1 - BackwardStream::bit_width(number(entry));
  }
  // The next state, once its bits are known.
  [[nodiscard]] BOBBIN_HD static uint32_t next(uint32_t entry, uint32_t log, uint32_t bits, uint32_t value) {
    return (number(entry) << bits) - (uint32_t{1} << log) + value;
  }
};

inline constexpr uint32_t kMaxTableSymbols = 64;

// What a description says about a table, apart from the counts. A log of 0 is a table of one state.
struct FseShape {
  uint32_t log = 0;
  uint32_t symbols = 0;
  uint32_t used = 0;  // bytes of the description; 0: it is damaged
};

// Reads a description that lies in bytes begin .. end-1 of a frame; counts go to counts[at ..]. By one lane.
template <class Cta, class Counts>
[[nodiscard]] BOBBIN_HD FseShape read_counts(Cta& cta, const FrameBytes& bytes, uint32_t begin, uint32_t end,
                                             uint32_t max_log, uint32_t max_symbols, Counts& counts,
                                             uint32_t at) {
  const uint32_t all_bits = 8 * (end - begin);
  const auto peek = [&](uint32_t bit) {
    return bit < all_bits ? bytes.word(cta, begin + bit / 8) >> (bit % 8) : 0;
  };
  FseShape shape{.log = (peek(0) & 15) + 5};
  if (shape.log > max_log) {
    return {};
  }
  uint32_t bit = 4;
  int32_t left = int32_t{1} << shape.log;
  while (left > 0) {
    if (shape.symbols == max_symbols) {
      return {};
    }
    // A value from 0 to left+1, in as few bits as its size leaves open.
    const uint32_t width = BackwardStream::bit_width(static_cast<uint32_t>(left) + 1);
    const uint32_t value = low_bits(peek(bit), width);
    const uint32_t low = low_bits(value, width - 1);
    const uint32_t spare = (uint32_t{1} << width) - 2 - static_cast<uint32_t>(left);
    const bool is_short = low < spare;
    bit += is_short ? width - 1 : width;
    const uint32_t number = is_short ? low : value >> (width - 1) != 0 ? value - spare : value;
    const int32_t count = static_cast<int32_t>(number) - 1;
    cta.store(counts, at + shape.symbols++, static_cast<int16_t>(count));
    left -= count < 0 ? 1 : count;
    for (uint32_t zeros = count == 0 ? 3 : 0; zeros == 3;) {
      zeros = peek(bit) & 3;
      bit += 2;
      if (shape.symbols + zeros > max_symbols || bit > all_bits) {
        return {};
      }
      for (uint32_t i = 0; i < zeros; ++i) {
        cta.store(counts, at + shape.symbols++, int16_t{0});
      }
    }
    if (bit > all_bits) {
      return {};
    }
  }
  shape.used = left < 0 ? 0 : (bit + 7) / 8;
  return shape;
}

// Two steps of build_table(). Both work on some states per lane at a time, so that loads of one do not wait
// for those of another.
template <class Cta, class Work, class Entries>
struct FseStates {
  static constexpr uint32_t kRows = 4;

  Cta& cta;
  const FseShape& shape;
  Work& work;
  uint32_t own;  // where the warp's part of `work` begins
  Entries& entries;
  uint32_t to;

  // Symbols are spread by steps over the places below `high`; which one comes at which step follows from the
  // counts before each, which are in `work`.
  BOBBIN_HD void spread(uint32_t high) const {
    const uint32_t size = uint32_t{1} << shape.log;
    const uint32_t step = (size >> 1) + (size >> 3) + 3;
    uint32_t rank = 0;
    for (uint32_t k = cta.lane(); k < size; k += kRows * simt::kWarpSize) {
      uint32_t ranks[kRows];
      uint32_t symbols[kRows];
      BOBBIN_UNROLL
      for (uint32_t row = 0; row < kRows; ++row) {
        const uint32_t taken = cta.ballot(takes(k, row, high, size, step));
        ranks[row] = rank + count_ones(taken & below());
        rank += count_ones(taken);
        symbols[row] = 0;
      }
      BOBBIN_UNROLL
      for (uint32_t half = kMaxTableSymbols / 2; half != 0; half /= 2) {
        BOBBIN_UNROLL
        for (uint32_t row = 0; row < kRows; ++row) {
          symbols[row] += cta.load(work, own + symbols[row] + half) <= ranks[row] ? half : 0;
        }
      }
      BOBBIN_UNROLL
      for (uint32_t row = 0; row < kRows; ++row) {
        if (takes(k, row, high, size, step)) {
          store(place(k, row, size, step), symbols[row]);
        }
      }
    }
    cta.sync_warp();
  }

  // States of a symbol are numbered by place, from what is in `work` on.
  template <class Pack>
  BOBBIN_HD void number(Pack&& pack) const {
    const uint32_t size = uint32_t{1} << shape.log;
    for (uint32_t k = cta.lane(); k < size; k += kRows * simt::kWarpSize) {
      uint32_t symbols[kRows];
      uint32_t same[kRows];
      BOBBIN_UNROLL
      for (uint32_t row = 0; row < kRows; ++row) {
        const uint32_t at = k + row * simt::kWarpSize;
        symbols[row] = at < size ? uint32_t{cta.load(entries, to + at)} : 0;
      }
      BOBBIN_UNROLL
      for (uint32_t row = 0; row < kRows; ++row) {
        same[row] = cta.match_any(symbols[row]);
      }
      BOBBIN_UNROLL
      for (uint32_t row = 0; row < kRows; ++row) {
        const uint32_t at = k + row * simt::kWarpSize;
        const uint32_t occurrence = cta.load(work, own + symbols[row]) + count_ones(same[row] & below());
        cta.sync_warp();
        if (at < size) {
          if (same[row] >> cta.lane() == 1) {  // the last of them
            cta.store(work, own + symbols[row], static_cast<uint16_t>(occurrence + 1));
          }
          store(at, pack(occurrence, symbols[row]));
        }
        cta.sync_warp();
      }
    }
  }

 private:
  [[nodiscard]] BOBBIN_HD uint32_t below() const { return (uint32_t{1} << cta.lane()) - 1; }
  [[nodiscard]] BOBBIN_HD static uint32_t place(uint32_t k, uint32_t row, uint32_t size, uint32_t step) {
    return (k + row * simt::kWarpSize) * step & (size - 1);
  }
  [[nodiscard]] BOBBIN_HD static bool takes(uint32_t k, uint32_t row, uint32_t high, uint32_t size,
                                            uint32_t step) {
    return k + row * simt::kWarpSize < size && place(k, row, size, step) < high;
  }
  template <class Value>
  BOBBIN_HD void store(uint32_t at, Value value) const {
    using Entry = decltype(cta.load(entries, to));
    cta.store(entries, to + at, static_cast<Entry>(value));
  }
};

// Builds a table of 32 states or more from counts[at ..] into entries[to ..]: pack(number, symbol) of each
// state. By a whole warp; work[own ..] is its own, of kMaxTableSymbols.
template <class Cta, class Counts, class Work, class Entry, uint32_t kSize, class Pack>
BOBBIN_HD void build_table(Cta& cta, const Counts& counts, uint32_t at, const FseShape& shape, Work& work,
                           uint32_t own, simt::Shared<Entry, kSize>& entries, uint32_t to, Pack&& pack) {
  const uint32_t size = uint32_t{1} << shape.log;
  // Two symbols per lane. Those of less than one occurrence get a state each, from the end.
  const auto count_of = [&](uint32_t s) -> int32_t {
    return s < shape.symbols ? cta.load(counts, at + s) : 0;
  };
  const int32_t even = count_of(2 * cta.lane());
  const int32_t odd = count_of(2 * cta.lane() + 1);
  const auto both = [](int32_t count) {
    return count < 0 ? uint32_t{1} << 16 : static_cast<uint32_t>(count);
  };
  const uint32_t through = simt::sum_through(cta, both(even) + both(odd));
  const uint32_t high = size - (cta.shfl(through, simt::kWarpSize - 1) >> 16);
  const uint32_t before = through - both(even) - both(odd);
  const auto settle = [&](uint32_t s, int32_t count, uint32_t earlier) {
    cta.store(work, own + s, static_cast<uint16_t>(earlier));
    if (count < 0) {
      cta.store(entries, to + size - 1 - (earlier >> 16), static_cast<Entry>(s));
    }
  };
  settle(2 * cta.lane(), even, before);
  settle(2 * cta.lane() + 1, odd, before + both(even));
  cta.sync_warp();
  const FseStates<Cta, Work, simt::Shared<Entry, kSize>> states{cta, shape, work, own, entries, to};
  states.spread(high);
  cta.store(work, own + 2 * cta.lane(), static_cast<uint16_t>(even < 0 ? 1 : even));
  cta.store(work, own + 2 * cta.lane() + 1, static_cast<uint16_t>(odd < 0 ? 1 : odd));
  cta.sync_warp();
  states.number(pack);
  cta.sync_warp();
}

// The same, of FseEntry; all of `work` is the warp's.
template <class Cta, class Counts, class Work, class Entries>
BOBBIN_HD void build_table(Cta& cta, const Counts& counts, uint32_t at, const FseShape& shape, Work& work,
                           Entries& entries, uint32_t to) {
  build_table(cta, counts, at, shape, work, 0, entries, to,
              [](uint32_t number, uint32_t symbol) { return FseEntry::pack(number, symbol); });
}

}  // namespace bobbin::zstd
