// SPDX-License-Identifier: Apache-2.0
// Finite-state entropy coding: from counts to tables, and from symbols to bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/fse.hpp"
#include "core/portable.hpp"

namespace bobbin::zstd {

// Scales occurrences to a sum of 2^log, where each symbol that occurs keeps one at least. Two symbols or more
// must occur, and no more than 2^log.
[[nodiscard]] FseCounts normalise(std::span<const uint32_t> occurrences, uint32_t log);
// The accuracy that suits so many symbols.
[[nodiscard]] uint32_t choose_log(uint64_t total, uint32_t num_used, uint32_t max_log);

// The counterpart of reading a value from 0 to `most`.
template <class Bits>
BOBBIN_HD void put_up_to(Bits& bits, uint32_t value, uint32_t most) {
  const uint32_t width = 32 - static_cast<uint32_t>(std::countl_zero(most));
  const uint32_t half = uint32_t{1} << (width - 1);
  const uint32_t spare = (uint32_t{1} << width) - 1 - most;
  const bool is_short = value < spare;
  bits.put(is_short || value < half ? value : value + spare, is_short ? width - 1 : width);
}

// The description of a table, on the CPU and on a device: count_of(s) is FseCounts::count[s].
template <class Bits, class CountOf>
BOBBIN_HD void put_fse_counts(Bits& bits, uint32_t num_symbols, uint32_t log, CountOf&& count_of) {
  bits.put(log - 5, 4);
  int32_t left = int32_t{1} << log;
  for (uint32_t s = 0; s < num_symbols && left > 0; ++s) {
    const int32_t count = count_of(s);
    put_up_to(bits, static_cast<uint32_t>(count + 1), static_cast<uint32_t>(left) + 1);
    left -= count < 0 ? 1 : count;
    if (count != 0) {
      continue;
    }
    uint32_t zeros = 0;
    while (count_of(s + 1 + zeros) == 0) {
      ++zeros;
    }
    s += zeros;
    for (; zeros >= 3; zeros -= 3) {
      bits.put(3, 2);
    }
    bits.put(zeros, 2);
  }
  bits.end();
}
void write_fse_counts(const FseCounts& counts, std::vector<uint8_t>& out);

// Encodes symbols from the last to the first.
class FseEncoder {
 public:
  explicit FseEncoder(const FseCounts& counts);

  // A state from which a decoder reads this symbol last.
  void start(uint32_t symbol);
  BOBBIN_INLINE void put(uint32_t symbol, BitWriter& bits) {
    const Symbol& s = symbols_[symbol];
    const uint32_t count = (state_ + s.bits_bias) >> 16;
    bits.put(state_ & ((uint32_t{1} << count) - 1), count);
    state_ = next_[static_cast<size_t>(static_cast<int32_t>(state_ >> count) + s.state_bias)];
  }
  void finish(BitWriter& bits) const { bits.put(state_ - (uint32_t{1} << log_), log_); }

 private:
  struct Symbol {
    uint32_t bits_bias;
    int32_t state_bias;
  };
  uint32_t log_;
  uint32_t state_ = 0;
  std::array<uint16_t, size_t{1} << 9> next_{};
  std::array<Symbol, kMaxFseSymbols> symbols_{};
};

}  // namespace bobbin::zstd
