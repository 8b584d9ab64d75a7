// SPDX-License-Identifier: Apache-2.0
// A set of up to 128 slots: warps of an SM, entries of an assist warp table.
#pragma once

#include <bit>
#include <cstdint>

namespace bobbin::sim {

inline constexpr uint32_t kMaxSlots = 128;

struct SlotSet {
  uint64_t word[2] = {0, 0};

  void set(uint32_t i) { word[i / 64] |= uint64_t{1} << i % 64; }
  void clear(uint32_t i) { word[i / 64] &= ~(uint64_t{1} << i % 64); }
  [[nodiscard]] bool has(uint32_t i) const { return (word[i / 64] >> i % 64 & 1) != 0; }
  [[nodiscard]] bool any() const { return (word[0] | word[1]) != 0; }
  [[nodiscard]] bool is_single() const {
    const uint64_t both = word[0] | word[1];
    return (word[0] == 0) != (word[1] == 0) && (both & (both - 1)) == 0;
  }
  [[nodiscard]] uint32_t first() const {
    return static_cast<uint32_t>(word[0] != 0 ? std::countr_zero(word[0]) : 64 + std::countr_zero(word[1]));
  }
  // The first at or after `from`, around the end; the set must not be empty.
  [[nodiscard]] uint32_t next(uint32_t from) const {
    SlotSet after = *this;
    after.word[0] = from >= 64 ? 0 : after.word[0] >> from << from;
    after.word[1] = from <= 64    ? after.word[1]
                    : from >= 128 ? 0
                                  : after.word[1] >> (from - 64) << (from - 64);
    return after.any() ? after.first() : first();
  }
  friend SlotSet operator&(const SlotSet& a, const SlotSet& b) {
    return {{a.word[0] & b.word[0], a.word[1] & b.word[1]}};
  }
  friend SlotSet operator-(const SlotSet& a, const SlotSet& b) {
    return {{a.word[0] & ~b.word[0], a.word[1] & ~b.word[1]}};
  }
  friend SlotSet operator|(const SlotSet& a, const SlotSet& b) {
    return {{a.word[0] | b.word[0], a.word[1] | b.word[1]}};
  }
};

}  // namespace bobbin::sim
