// SPDX-License-Identifier: Apache-2.0
// Finite-state entropy coding: from counts to tables, and from symbols to bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/zstd/fse.hpp"

namespace bobbin::codec::zstd {

// Writes bits from the first byte's lowest one on.
class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>& out) : out_(out) {}

  // Up to 56 bits; those above `count` must be 0.
  void put(uint64_t value, uint32_t count) {
    pending_ |= value << filled_;
    filled_ += count;
    while (filled_ >= 8) {
      out_.push_back(static_cast<uint8_t>(pending_));
      pending_ >>= 8;
      filled_ -= 8;
    }
  }
  void pad_to_byte() {
    if (filled_ > 0) {
      put(0, 8 - filled_);
    }
  }
  // The mark from which a backward stream is read.
  void end_backward() {
    put(1, 1);
    pad_to_byte();
  }

 private:
  std::vector<uint8_t>& out_;
  uint64_t pending_ = 0;
  uint32_t filled_ = 0;
};

// Scales occurrences to a sum of 2^log, where each symbol that occurs keeps one at least. Two symbols or more
// must occur, and no more than 2^log.
[[nodiscard]] FseCounts normalise(std::span<const uint32_t> occurrences, uint32_t log);
// The accuracy that suits so many symbols.
[[nodiscard]] uint32_t choose_log(uint64_t total, uint32_t num_used, uint32_t max_log);

void write_fse_counts(const FseCounts& counts, std::vector<uint8_t>& out);

// Encodes symbols from the last to the first.
class FseEncoder {
 public:
  explicit FseEncoder(const FseCounts& counts);

  // A state from which a decoder reads this symbol last.
  void start(uint32_t symbol);
  void put(uint32_t symbol, BitWriter& bits);
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

}  // namespace bobbin::codec::zstd
