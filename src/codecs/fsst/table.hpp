// SPDX-License-Identifier: Apache-2.0
// Symbol tables: what codes stand for, how they are learnt, and how the longest symbol is found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bobbin/strings.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::fsst {

inline constexpr uint32_t kMaxSymbols = 255;
inline constexpr uint32_t kMaxSymbolBytes = 8;
inline constexpr uint8_t kEscape = 255;
inline constexpr uint32_t kPieceBytes = 512;  // no symbol spans two pieces of a string

// Code c stands for the first lengths[c] bytes of symbols[c], lowest byte first; the others are zero. Symbols
// are in ascending order of their lengths. Codes that stand for nothing, the escape among them, have length
// 0.
struct Table {
  std::array<uint8_t, kMaxSymbolBytes> counts{};  // of symbols of 1 .. 8 bytes
  std::array<uint64_t, 256> symbols{};
  std::array<uint8_t, 256> lengths{};

  [[nodiscard]] uint32_t size() const {
    uint32_t size = 0;
    for (const uint8_t count : counts) {
      size += count;
    }
    return size;
  }
  // Bytes of all symbols, as an array stores them.
  [[nodiscard]] uint32_t symbol_bytes() const;
  // From an array's parts, which must agree in size.
  static Table parse(std::span<const uint8_t, kMaxSymbolBytes> counts, const std::byte* symbols);
  [[nodiscard]] std::vector<std::byte> serialize() const;
};

// Bytes that strings are made of, one piece each: a symbol learnt from them lies within one.
using Pieces = std::vector<std::span<const uint8_t>>;

// Where a sample is taken: windows at equal distances over the bytes of all strings.
inline constexpr uint32_t kWindows = 64;
inline constexpr uint32_t kWindowBytes = 512;
struct Window {
  uint64_t begin = 0;
  uint32_t bytes = 0;
};
// Positions count from the first string's first byte; `total` is the size of all.
[[nodiscard]] std::vector<Window> sample_windows(uint64_t total);
// The same as pieces: cut where strings begin.
[[nodiscard]] Pieces sample(const StringsView& strings);

// Learns a table from a sample. The same pieces give the same table, anywhere.
[[nodiscard]] Table learn(const Pieces& pieces);

// Whether a table is in the order that learn() gives it, and keeps to what Matcher asks for: another writer's
// may not.
[[nodiscard]] bool could_be_learnt(const Table& table);

// What encoding needs of a table that learn() made, where symbols of 3 bytes or more differ in the slot of
// their first three bytes.
inline constexpr uint32_t kSlots = 2048;
BOBBIN_HD constexpr uint32_t slot_of(uint32_t first_three) {
  const uint32_t h = (first_three & 0xffffff) * 0x9e3779b1U;
  return h >> 21;
}
static_assert(kSlots == 1U << (32 - 21));

// A code in the lower byte, and above it how many bytes it takes up. The code is the escape for a byte that
// no symbol begins with.
struct Match {
  uint16_t both = kEscape | 1U << 8;

  [[nodiscard]] uint8_t code() const { return static_cast<uint8_t>(both); }
  [[nodiscard]] uint32_t length() const { return both >> 8; }
  static Match of(uint32_t code, uint32_t length) { return {static_cast<uint16_t>(code | length << 8)}; }
};

class Matcher {
 public:
  // A symbol of 3 to 8 bytes. An empty slot has three bytes whose slot is another.
  struct Slot {
    uint64_t symbol = 0;
    uint16_t shift = 0;  // to the left, it takes bits past the symbol out of a word
    Match match{};
  };

  explicit Matcher(const Table& table);

  // The longest symbol that `word` begins with.
  [[nodiscard]] BOBBIN_INLINE Match longest(uint64_t word) const {
    const Slot& slot = slots_[slot_of(static_cast<uint32_t>(word))];
    const uint32_t two = shorts_[word & 0xffff].both;
    const uint32_t fits = (word ^ slot.symbol) << slot.shift == 0 ? ~0U : 0;
    return {static_cast<uint16_t>((slot.match.both & fits) | (two & ~fits))};
  }
  // The longest symbol that `word` begins with, of which `rest` bytes count: the others are zero. All choices
  // are at hand before one is taken, so that there is no branch to guess.
  [[nodiscard]] BOBBIN_INLINE Match longest(uint64_t word, uint64_t rest) const {
    const Slot& slot = slots_[slot_of(static_cast<uint32_t>(word))];
    const uint32_t one = ones_[word & 0xff].both;
    const uint32_t two = shorts_[word & 0xffff].both;
    const uint32_t fits = ((word ^ slot.symbol) << slot.shift == 0) & (slot.match.length() <= rest) ? ~0U : 0;
    const uint32_t alone = rest == 1 ? ~0U : 0;
    const uint32_t shorter = (one & alone) | (two & ~alone);
    return {static_cast<uint16_t>((slot.match.both & fits) | (shorter & ~fits))};
  }

  [[nodiscard]] Match single(uint8_t byte) const { return ones_[byte]; }
  [[nodiscard]] std::span<const Slot, kSlots> slots() const { return slots_; }
  [[nodiscard]] std::span<const Match, 65536> shorts() const {
    return std::span<const Match, 65536>(shorts_.data(), 65536);
  }

 private:
  std::array<Slot, kSlots> slots_;
  std::vector<Match> shorts_;  // by the first two bytes: a symbol of two, or of one, or the escape
  std::array<Match, 256> ones_;
};

}  // namespace bobbin::codec::fsst
