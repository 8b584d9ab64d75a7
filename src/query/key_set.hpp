// SPDX-License-Identifier: Apache-2.0
// Sets of values of a numeric type, as intervals of their keys: many tests of one column become one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/types.hpp"
#include "codecs/codec.hpp"
#include "core/scalar.hpp"

namespace bobbin::query {

// An unsigned integer for each value, in the order of the values; NaNs are beyond the infinities.
template <class T>
[[nodiscard]] constexpr BitsOf<T> set_key(T value) {
  using Bits = BitsOf<T>;
  constexpr Bits kTop = std::is_unsigned_v<T> ? Bits{0} : static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  return static_cast<Bits>(range_key<T>(scalar_of(value).bits) ^ kTop);
}

class KeySet {
 public:
  // From `first` to `last`, inclusive.
  struct Interval {
    uint64_t first = 0;
    uint64_t last = 0;
  };

  explicit KeySet(DType type) : type_(type) {}
  // The values that are in one of the ranges, and those that are in all of them.
  static KeySet any_of(DType type, std::span<const ValueRange> ranges);
  static KeySet all_of(DType type, std::span<const ValueRange> ranges);

  [[nodiscard]] KeySet complement() const;
  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] bool holds(uint64_t key) const;
  // Whether it contains all keys from `first` to `last`, and whether it contains any of them.
  [[nodiscard]] bool holds_all(uint64_t first, uint64_t last) const;
  [[nodiscard]] bool holds_any(uint64_t first, uint64_t last) const;

 private:
  // Sorts and merges.
  void unite(std::vector<Interval> intervals);
  [[nodiscard]] uint64_t last_key() const;

  DType type_;
  std::vector<Interval> intervals_;  // ascending, with a gap between any two
};

}  // namespace bobbin::query
