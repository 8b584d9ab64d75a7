// SPDX-License-Identifier: Apache-2.0
// Values as their lines hold them, for kernels that sum, count or select values and need not see each one.
//
//   Reads::run(cta, shared, view, first, end, packed<T>([&](uint64_t index, const auto& values) {
//     sum += values.sum();
//   }));
//
// `values` are some of the array's values, from `index` on. Their type depends on the line, what it offers
// does not:
//
//   size()              how many values they are
//   [i]                 value i
//   sum()               of all of them, modulo 2^64
//   within(low, span)   the count and the sum of those from `low` to `low + span`: value - low <= span, as
//                       unsigned numbers of the type
//
// Deltas are added and compared several at a time, as bytes or halves of words; repeated lines are one value
// with a count. Lines of other kinds, and all lines of other views, are expanded and come as 16 bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "assist/views.hpp"
#include "core/dot_bytes.hpp"

namespace bobbin::assist {

struct Hits {
  uint32_t count = 0;
  uint64_t sum = 0;
};

// Values one by one: `value_of(i)` for i below kCount.
template <class T, uint32_t kCount, class ValueOf>
[[nodiscard]] BOBBIN_HD uint64_t sum_each(ValueOf&& value_of) {
  uint64_t sum = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kCount; ++i) {
    sum += T{value_of(i)};
  }
  return sum;
}
template <class T, uint32_t kCount, class ValueOf>
[[nodiscard]] BOBBIN_HD Hits test_each(T low, T span, uint32_t valid, ValueOf&& value_of) {
  Hits hits;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kCount; ++i) {
    const T x = value_of(i);
    const bool hit = i < valid && static_cast<T>(x - low) <= span;
    hits.sum += hit ? x : T{0};
    hits.count += hit ? 1 : 0;
  }
  return hits;
}

// Sixteen bytes of expanded values.
template <class T>
struct QuadValues {
  Quad quad;
  uint32_t count;

  [[nodiscard]] BOBBIN_HD uint32_t size() const { return count; }
  [[nodiscard]] BOBBIN_HD T operator[](uint32_t i) const { return simt::value_of_quad<T>(quad, i); }
  [[nodiscard]] BOBBIN_HD uint64_t sum() const {
    return sum_each<T, kPerQuad<T>>([&](uint32_t i) { return i < count ? (*this)[i] : T{0}; });
  }
  [[nodiscard]] BOBBIN_HD Hits within(T low, T span) const {
    return test_each<T, kPerQuad<T>>(low, span, count, [&](uint32_t i) { return (*this)[i]; });
  }
};

// A whole line that repeats eight bytes.
template <class T>
struct RepeatedValues {
  static constexpr uint32_t kDifferent = sizeof(uint64_t) / sizeof(T);
  static constexpr uint32_t kTimes = kLineBytes / sizeof(uint64_t);

  uint64_t bytes;

  [[nodiscard]] BOBBIN_HD uint32_t size() const { return kTimes * kDifferent; }
  [[nodiscard]] BOBBIN_HD T operator[](uint32_t i) const {
    return static_cast<T>(bytes >> i % kDifferent * 8 * sizeof(T));
  }
  [[nodiscard]] BOBBIN_HD uint64_t sum() const {
    return kTimes * sum_each<T, kDifferent>([&](uint32_t i) { return (*this)[i]; });
  }
  [[nodiscard]] BOBBIN_HD Hits within(T low, T span) const {
    const Hits hits = test_each<T, kDifferent>(low, span, kDifferent, [&](uint32_t i) { return (*this)[i]; });
    return {kTimes * hits.count, kTimes * hits.sum};
  }
};

// A quarter of a line of a base and deltas. Adding a half of their range makes deltas unsigned: the values
// are these *steps* above the least one that is possible.
template <class T, uint32_t kCode>
struct DeltaValues {
  using Pair = codec::line::PartPair<kLineBytes, kCode>;
  static constexpr uint32_t kWidth = Pair::kBdi.width;
  static constexpr uint32_t kSize = Pair::kValues;
  static constexpr T kMostSteps = low_mask<T>(kWidth);
  static constexpr uint32_t kTops = kLaneOnes<kWidth> << (kWidth - 1);
  static constexpr T kMax = std::numeric_limits<T>::max();

  const Pair& pair;

  [[nodiscard]] BOBBIN_HD uint32_t size() const { return kSize; }
  [[nodiscard]] BOBBIN_HD T operator[](uint32_t i) const { return static_cast<T>(pair.value(i)); }

  [[nodiscard]] BOBBIN_HD uint64_t sum() const {
    if (!is_simple()) {
      return sum_each<T, kSize>([&](uint32_t i) { return (*this)[i]; });
    }
    return sum_of_simple();
  }

  [[nodiscard]] BOBBIN_HD Hits within(T low, T span) const {
    if (!is_simple() || span > kMax - kMostSteps) {
      return test_each<T, kSize>(low, span, kSize, [&](uint32_t i) { return (*this)[i]; });
    }
    // A value is in the range if start + steps <= span, modulo the type.
    const auto start = static_cast<T>(least() - low);
    const auto last = static_cast<T>(span - start);
    if (start <= span && last >= kMostSteps) {
      return {kSize, sum_of_simple()};
    }
    const T first = start <= span ? T{0} : static_cast<T>(T{0} - start);
    return first > kMostSteps ? Hits{} : test_steps(first, last < kMostSteps ? last : kMostSteps);
  }

 private:
  [[nodiscard]] BOBBIN_HD T least() const { return static_cast<T>(pair.base - (T{1} << (kWidth - 1))); }
  // Whether all values have the base, and none is on the other side of zero (64 bits have no other side: sums
  // are modulo 2^64 as well).
  [[nodiscard]] BOBBIN_HD bool is_simple() const {
    return pair.all_have_base() && (sizeof(T) == 8 || least() <= kMax - kMostSteps);
  }
  [[nodiscard]] BOBBIN_HD uint64_t sum_of_simple() const {
    uint32_t steps = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < Pair::kDeltaWords; ++i) {
      steps = kWidth == 8 ? dot_bytes(pair.deltas[i] ^ kTops, kLaneOnes<8>, steps)
                          : add_halves(pair.deltas[i] ^ kTops, steps);
    }
    return uint64_t{least()} * kSize + steps;
  }
  [[nodiscard]] BOBBIN_HD Hits test_steps(T first, T last) const {
    const uint32_t from = static_cast<uint32_t>(first) * kLaneOnes<kWidth>;
    const uint32_t to = static_cast<uint32_t>(last) * kLaneOnes<kWidth>;
    uint32_t count = 0;
    uint32_t steps = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < Pair::kDeltaWords; ++i) {
      const uint32_t lanes = pair.deltas[i] ^ kTops;
      const uint32_t hits = lanes_within<kWidth>(lanes, from, to) >> (kWidth - 1);
      count = kWidth == 8 ? dot_bytes(hits, kLaneOnes<8>, count) : add_halves(hits, count);
      steps = kWidth == 8 ? dot_bytes(lanes, hits, steps) : add_halves(lanes & hits * 0xffff, steps);
    }
    return {count, uint64_t{least()} * count + steps};
  }
};

// What run() and read() call with quads, pairs of parts and repeated lines.
template <class T, class F>
struct PackedReader {
  F f;

  BOBBIN_HD void operator()(uint64_t index, const Quad& quad, uint32_t count) const {
    f(index, QuadValues<T>{quad, count});
  }
  BOBBIN_HD void operator()(uint64_t index, const codec::line::RepeatedLine& line, uint32_t /*count*/) const {
    f(index, RepeatedValues<T>{line.bytes});
  }
  template <uint32_t kCode>
    requires(sizeof(T) == size_t{1} << codec::line::bdi_of(kCode).value_log)
  BOBBIN_HD void operator()(uint64_t index, const codec::line::PartPair<kLineBytes, kCode>& pair,
                            uint32_t /*count*/) const {
    f(index, DeltaValues<T, kCode>{pair});
  }
};

template <class T, class F>
[[nodiscard]] BOBBIN_HD PackedReader<T, F> packed(F f) {
  return {std::move(f)};
}

}  // namespace bobbin::assist
