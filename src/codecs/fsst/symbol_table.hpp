// SPDX-License-Identifier: Apache-2.0
// Symbol tables: what codes mean, how they are learnt, and how the longest symbol is found.
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

// Code c means the first lengths[c] bytes of symbols[c], lowest byte first; the others are zero. Symbols are
// ordered by length. Invalid codes, and the escape, have length 0.
struct SymbolTable {
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
  // Size of all symbols, as an array stores them.
  [[nodiscard]] uint32_t symbol_bytes() const;
  // From an array's parts, which must agree in size.
  static SymbolTable parse(std::span<const uint8_t, kMaxSymbolBytes> counts, const std::byte* symbols);
  [[nodiscard]] std::vector<std::byte> serialize() const;
};

// Bytes of strings, in pieces: a symbol learnt from them lies within one piece.
using Pieces = std::vector<std::span<const uint8_t>>;

// Where a sample is taken: windows at equal distances in the bytes of all strings.
inline constexpr uint32_t kWindows = 64;
inline constexpr uint32_t kWindowBytes = 512;
struct Window {
  uint64_t begin = 0;
  uint32_t bytes = 0;
};
// Positions are relative to the first string's first byte; `total` is the total size.
[[nodiscard]] std::vector<Window> sample_windows(uint64_t total);
// The same as pieces, cut where strings begin.
[[nodiscard]] Pieces sample(const StringsView& strings);

// Learns a table from a sample. Deterministic on all machines.
[[nodiscard]] SymbolTable learn(const Pieces& pieces);

// Whether a table has the order that learn() gives it, and meets Matcher's requirements: those of other
// writers may not.
[[nodiscard]] bool could_be_learnt(const SymbolTable& table);

// What encoding needs of a table from learn(), where symbols of 3 bytes or more have different slots for
// their first three bytes.
inline constexpr uint32_t kSlots = 2048;
BOBBIN_HD constexpr uint32_t slot_of(uint32_t first_three) {
  const uint32_t h = (first_three & 0xffffff) * 0x9e3779b1U;
  return h >> 21;
}
static_assert(kSlots == 1U << (32 - 21));

// A code in the lower byte, with the number of input bytes above it. The code is the escape for a byte that
// no symbol begins with.
struct Match {
  uint16_t both = kEscape | 1U << 8;

  [[nodiscard]] uint8_t code() const { return static_cast<uint8_t>(both); }
  [[nodiscard]] uint32_t length() const { return both >> 8; }
  static Match of(uint32_t code, uint32_t length) { return {static_cast<uint16_t>(code | length << 8)}; }
};

class Matcher {
 public:
  // A symbol of 3 to 8 bytes. An empty slot holds three bytes that hash to another slot.
  struct Slot {
    uint64_t symbol = 0;
    uint16_t shift = 0;  // left shift that drops the bits after the symbol
    Match match{};
  };

  explicit Matcher(const SymbolTable& table);

  // The longest symbol that `word` begins with.
  [[nodiscard]] BOBBIN_INLINE Match longest(uint64_t word) const {
    const Slot& slot = slots_[slot_of(static_cast<uint32_t>(word))];
    const uint32_t two = shorts_[word & 0xffff].both;
    const uint32_t fits = (word ^ slot.symbol) << slot.shift == 0 ? ~0U : 0;
    return {static_cast<uint16_t>((slot.match.both & fits) | (two & ~fits))};
  }
  // The longest symbol that `word` begins with, of which `rest` bytes count: the others are zero. All
  // candidates are computed before one is selected, to avoid branches.
  [[nodiscard]] BOBBIN_INLINE Match longest(uint64_t word, uint64_t rest) const {
    const Slot& slot = slots_[slot_of(static_cast<uint32_t>(word))];
    const uint32_t one = ones_[word & 0xff].both;
    const uint32_t two = shorts_[word & 0xffff].both;
    const bool is_long = ((word ^ slot.symbol) << slot.shift == 0) & (slot.match.length() <= rest);
    const uint32_t fits = is_long ? ~0U : 0;
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
  std::vector<Match> shorts_;  // by two bytes: a symbol of two or one, or the escape
  std::array<Match, 256> ones_;
};

}  // namespace bobbin::codec::fsst
