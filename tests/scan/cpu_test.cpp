// SPDX-License-Identifier: Apache-2.0
// The CPU scan compared with loops that define a scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/stream_copy.hpp"
#include "scan/scan.hpp"

namespace bobbin::scan {
namespace {

constexpr uint32_t kTuples[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32};
constexpr Op kOps[] = {Op::sum, Op::max, Op::min, Op::bit_xor, Op::bit_and, Op::bit_or};

template <class T>
T join(Op op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using U = std::make_unsigned_t<T>;
    switch (op) {
      case Op::sum:
        return static_cast<T>(static_cast<U>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)));
      case Op::max:
        return std::max(a, b);
      case Op::min:
        return std::min(a, b);
      case Op::bit_xor:
        return static_cast<T>(a ^ b);
      case Op::bit_and:
        return static_cast<T>(a & b);
      case Op::bit_or:
        break;
    }
    return static_cast<T>(a | b);
  }
}

template <class T>
T neutral(Op op) {
  switch (op) {
    case Op::max:
      return std::numeric_limits<T>::lowest();
    case Op::min:
      return std::numeric_limits<T>::max();
    case Op::bit_and:
      return static_cast<T>(-1);
    default:
      return T{0};
  }
}

// The inclusive scan, one order after the other.
template <class T>
std::vector<T> expected(std::vector<T> values, const Options& options) {
  for (uint32_t order = 0; order < options.order; ++order) {
    for (size_t i = options.tuple; i < values.size(); ++i) {
      values[i] = join(options.op, values[i - options.tuple], values[i]);
    }
  }
  return values;
}

template <class T>
std::vector<T> to_exclusive(const std::vector<T>& inclusive, const Options& options) {
  std::vector<T> values(inclusive.size(), neutral<T>(options.op));
  for (size_t i = options.tuple; i < values.size(); ++i) {
    values[i] = inclusive[i - options.tuple];
  }
  return values;
}

template <class T>
std::vector<T> any_values(size_t length, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(length);
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(random() % 2000001) / T{3} - T{333333};
    } else {
      value = static_cast<T>(random());
    }
  }
  return values;
}

// `values` surrounded by others: `at` before them.
template <class T>
std::vector<T> padded(const std::vector<T>& values, size_t at) {
  std::vector<T> all(values.size() + 32, static_cast<T>(77));
  std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
  return all;
}

// Scans values that start `offset` after an aligned address, to another array and in place. The values around
// them must not change.
template <class T>
void expect_scan(const std::vector<T>& values, Kind kind, const Options& options,
                 const std::vector<T>& wanted, size_t offset) {
  for (const bool in_place : {false, true}) {
    const size_t at = in_place ? offset : 16 - offset;
    std::vector<T> in = padded(values, offset);
    std::vector<T> other = padded(std::vector<T>(values.size()), at);
    std::vector<T>& out = in_place ? in : other;
    run_on_cpu(Request{.type = kDTypeOf<T>,
                       .kind = kind,
                       .in = in.data() + offset,
                       .out = out.data() + at,
                       .length = values.size(),
                       .options = options});
    ASSERT_EQ(std::memcmp(out.data(), padded(wanted, at).data(), out.size() * sizeof(T)), 0)
        << "type " << static_cast<int>(kDTypeOf<T>) << " op " << static_cast<int>(options.op) << " order "
        << options.order << " tuple " << options.tuple << " length " << values.size() << " offset " << offset
        << (kind == Kind::exclusive ? " exclusive" : "") << (in_place ? " in place" : "");
  }
}

template <class T>
void expect_both(const std::vector<T>& values, const Options& options, size_t offset) {
  const std::vector<T> inclusive = expected(values, options);
  expect_scan(values, Kind::inclusive, options, inclusive, offset);
  expect_scan(values, Kind::exclusive, options, to_exclusive(inclusive, options), offset);
}

template <class T>
class CpuScan : public ::testing::Test {};
using Integers = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(CpuScan, Integers);

TYPED_TEST(CpuScan, EqualsTheLoops) {
  const std::vector<TypeParam> random = any_values<TypeParam>(9001, 1);
  for (const Op op : kOps) {
    const bool repeats = op == Op::sum || op == Op::bit_xor;
    for (uint32_t order = 1; order <= kMaxOrder; order += repeats ? 1 : 4) {
      for (const uint32_t tuple : kTuples) {
        // The last length is several pieces for any type.
        const std::set<size_t> lengths{0,  1,  2,  tuple - 1, tuple, tuple + 1, order * tuple,
                                       63, 64, 65, 1000,      4097,  9001};
        size_t offset = order;
        for (const size_t length : lengths) {
          const std::vector<TypeParam> values(random.begin(),
                                              random.begin() + static_cast<std::ptrdiff_t>(length));
          expect_both(values, {.order = order, .tuple = tuple, .op = op}, offset++ % 17);
          if (this->HasFatalFailure()) {
            return;
          }
        }
      }
    }
  }
}

TYPED_TEST(CpuScan, AnyOffset) {
  const std::vector<TypeParam> values = any_values<TypeParam>(3000, 2);
  for (size_t offset = 0; offset <= 16; ++offset) {
    for (const uint32_t tuple : {1U, 3U, 9U}) {
      expect_both(values, {.order = 2, .tuple = tuple}, offset);
      expect_both(values, {.tuple = tuple, .op = Op::min}, offset);
    }
  }
}

TYPED_TEST(CpuScan, OnesGiveBinomials) {
  using U = std::make_unsigned_t<TypeParam>;
  constexpr size_t kRows = 1500;
  for (uint32_t order = 1; order <= kMaxOrder; ++order) {
    for (const uint32_t tuple : {1U, 4U, 6U}) {
      // C(row + order, order), column by column of Pascal's triangle.
      std::vector<U> binomials(kRows, U{1});
      for (uint32_t j = 0; j < order; ++j) {
        for (size_t row = 1; row < kRows; ++row) {
          binomials[row] = static_cast<U>(binomials[row] + binomials[row - 1]);
        }
      }
      std::vector<TypeParam> wanted(kRows * tuple);
      for (size_t i = 0; i < wanted.size(); ++i) {
        wanted[i] = static_cast<TypeParam>(binomials[i / tuple]);
      }
      expect_scan(std::vector<TypeParam>(kRows * tuple, TypeParam{1}), Kind::inclusive,
                  {.order = order, .tuple = tuple}, wanted, 0);
    }
  }
}

// Pieces of a sequence, each from the states that the previous one left; they begin with a new tuple.
TYPED_TEST(CpuScan, TilesContinue) {
  using U = std::make_unsigned_t<TypeParam>;
  const std::vector<U> random = any_values<U>(9001, 4);
  for (uint32_t order = 1; order <= kMaxOrder; ++order) {
    for (const uint32_t tuple : kTuples) {
      std::vector<U> states(order * tuple, U{0});
      std::vector<U> values = random;
      size_t first = 0;
      for (size_t rows = 0; first < values.size(); rows = rows * 2 + 1) {
        const size_t here = std::min<size_t>(rows * tuple, values.size() - first);
        scan_tile_on_cpu<U>(values.data() + first, here, order, tuple, states.data());
        first += here;
      }
      ASSERT_EQ(values, expected(random, {.order = order, .tuple = tuple}))
          << "order " << order << " tuple " << tuple;
      // The last value of each series at each order, even if the last tuple is incomplete.
      for (uint32_t j = 0; j < order; ++j) {
        const std::vector<U> sums = expected(random, {.order = j + 1, .tuple = tuple});
        for (size_t i = sums.size() - tuple; i < sums.size(); ++i) {
          ASSERT_EQ(states[i % tuple * order + j], sums[i]) << "order " << order << " tuple " << tuple;
        }
      }
    }
  }
}

// Long enough to bypass the caches.
template <class T>
void expect_long(const Options& options, size_t offset) {
  expect_both(any_values<T>(kStreamBytes / sizeof(T) + 1234, offset), options, offset);
}

TEST(CpuScanOfLongArrays, EqualsTheLoops) {
  expect_long<uint8_t>({.order = 2, .tuple = 3}, 1);
  expect_long<uint16_t>({.order = 8}, 2);
  expect_long<uint32_t>({}, 3);
  expect_long<uint32_t>({.order = 5, .tuple = 7}, 0);
  expect_long<int32_t>({.tuple = 2, .op = Op::min}, 5);
  expect_long<uint64_t>({.order = 7, .tuple = 32, .op = Op::bit_xor}, 6);
  expect_long<float>({.tuple = 2}, 7);
  expect_long<double>({}, 8);
}

template <class T>
class CpuFloatScan : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CpuFloatScan, Floats);

TYPED_TEST(CpuFloatScan, AddsFromLeftToRight) {
  for (const uint32_t tuple : kTuples) {
    for (const uint32_t length : {0U, 1U, 2U, 31U, 63U, 64U, 65U, 1000U, 4097U}) {
      expect_both(any_values<TypeParam>(length, length), {.tuple = tuple}, length % 17);
    }
  }
}

}  // namespace
}  // namespace bobbin::scan
