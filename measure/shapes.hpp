// SPDX-License-Identifier: Apache-2.0
// Synthetic columns. Integer arithmetic only: the same seed gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bobbin/types.hpp"
#include "measure/timing.hpp"

namespace bobbin::bench {

// splitmix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to bound-1, by remainder: the bias does not matter here.
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

// Returns the next value of a column; callers keep its low bits.
class Generator {
 public:
  virtual ~Generator() = default;
  virtual uint64_t next() = 0;
};

struct ColumnShape {
  std::string_view name;
  std::string_view about;
  DType type{};  // its usual type
  std::unique_ptr<Generator> (*make)(uint64_t seed) = nullptr;
};

[[nodiscard]] std::span<const ColumnShape> all_shapes();
// Null for an unknown name.
[[nodiscard]] const ColumnShape* find_shape(std::string_view name);

// `length` values of `type`.
[[nodiscard]] Bytes make_values(const ColumnShape& shape, DType type, uint64_t length, uint64_t seed);
// Uniform in 0 .. 2^bits-1.
[[nodiscard]] Bytes make_uniform(DType type, uint32_t bits, uint64_t length, uint64_t seed);

}  // namespace bobbin::bench
