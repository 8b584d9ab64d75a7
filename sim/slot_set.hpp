// SPDX-License-Identifier: Apache-2.0
// Sets of small numbers, a bit each: warps of an SM, entries of an assist warp table, ports of a crossbar.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace bobbin::sim {

template <uint32_t kWords>
struct BitSet {
  std::array<uint64_t, kWords> word{};

  void set(uint32_t i) { word[i / 64] |= uint64_t{1} << i % 64; }
  void clear(uint32_t i) { word[i / 64] &= ~(uint64_t{1} << i % 64); }
  [[nodiscard]] bool has(uint32_t i) const { return (word[i / 64] >> i % 64 & 1) != 0; }
  [[nodiscard]] bool any() const {
    uint64_t all = 0;
    for (const uint64_t bits : word) {
      all |= bits;
    }
    return all != 0;
  }
  [[nodiscard]] bool is_single() const {
    BitSet others = *this;
    if (any()) {
      others.clear(first());
    }
    return any() && !others.any();
  }
  // The set must not be empty.
  [[nodiscard]] uint32_t first() const { return first_from(0); }
  // The first at or after `from`, around the end; the set must not be empty.
  [[nodiscard]] uint32_t next(uint32_t from) const {
    if (from < 64 * kWords) {
      const uint32_t at = from / 64;
      if (const uint64_t after = word[at] >> from % 64; after != 0) {
        return from + static_cast<uint32_t>(std::countr_zero(after));
      }
      const uint32_t found = first_from(at + 1);
      return found < 64 * kWords ? found : first();
    }
    return first();
  }
  template <class F>
  void for_each(F f) const {
    for (uint32_t at = 0; at < kWords; ++at) {
      for (uint64_t left = word[at]; left != 0; left &= left - 1) {
        f(64 * at + static_cast<uint32_t>(std::countr_zero(left)));
      }
    }
  }
  friend BitSet operator&(BitSet a, const BitSet& b) {
    for (uint32_t at = 0; at < kWords; ++at) {
      a.word[at] &= b.word[at];
    }
    return a;
  }
  friend BitSet operator-(BitSet a, const BitSet& b) {
    for (uint32_t at = 0; at < kWords; ++at) {
      a.word[at] &= ~b.word[at];
    }
    return a;
  }
  friend BitSet operator|(BitSet a, const BitSet& b) {
    for (uint32_t at = 0; at < kWords; ++at) {
      a.word[at] |= b.word[at];
    }
    return a;
  }

 private:
  // The first in this word or a later one; beyond all words if there is none.
  [[nodiscard]] uint32_t first_from(uint32_t at) const {
    for (; at < kWords; ++at) {
      if (word[at] != 0) {
        return 64 * at + static_cast<uint32_t>(std::countr_zero(word[at]));
      }
    }
    return 64 * kWords;
  }
};

inline constexpr uint32_t kMaxSlots = 128;
using SlotSet = BitSet<kMaxSlots / 64>;
inline constexpr uint32_t kMaxPorts = 256;  // the most SMs, and the most channels
using PortSet = BitSet<kMaxPorts / 64>;

}  // namespace bobbin::sim
