// SPDX-License-Identifier: Apache-2.0
// The loops of the CPU scan, over vectors of any width. All of them are inlined into the functions that
// cpu.cpp compiles for the available vector sizes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/portable.hpp"

namespace bobbin::scan::cpu {

// kBytes of values of type T, in a register and in memory; T itself if they are a single value. (A memcpy
// would load them in halves.)
template <class T, size_t kBytes>
struct VectorOf {
  using Type [[gnu::vector_size(kBytes)]] = T;
  using Memory [[gnu::vector_size(kBytes), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
};
template <class T>
struct VectorOf<T, sizeof(T)> {
  using Type = T;
  using Memory = T;
};
template <class T, size_t kBytes>
using Vector = typename VectorOf<T, kBytes>::Type;

template <class V, class T>
BOBBIN_INLINE void load(V& value, const T* from) {
  value = *reinterpret_cast<const typename VectorOf<T, sizeof(V)>::Memory*>(from);
}
template <class V, class T>
BOBBIN_INLINE void store(T* to, const V& value) {
  *reinterpret_cast<typename VectorOf<T, sizeof(V)>::Memory*>(to) = value;
}

// The operations, on values and on vectors.
struct Sum {
  template <class T>
  static constexpr T kNeutral = T{0};
  template <class V>
  BOBBIN_INLINE static void join(V& a, const V& b) {
    a = static_cast<V>(a + b);
  }
};
struct Xor {
  template <class T>
  static constexpr T kNeutral = T{0};
  template <class V>
  BOBBIN_INLINE static void join(V& a, const V& b) {
    a = static_cast<V>(a ^ b);
  }
};
struct And {
  template <class T>
  static constexpr T kNeutral = std::numeric_limits<T>::max();
  template <class V>
  BOBBIN_INLINE static void join(V& a, const V& b) {
    a = static_cast<V>(a & b);
  }
};
struct Or {
  template <class T>
  static constexpr T kNeutral = T{0};
  template <class V>
  BOBBIN_INLINE static void join(V& a, const V& b) {
    a = static_cast<V>(a | b);
  }
};
struct Max {
  template <class T>
  static constexpr T kNeutral = std::numeric_limits<T>::lowest();
  template <class V>
  BOBBIN_INLINE static void join(V& a, const V& b) {
    a = a > b ? a : b;
  }
};
struct Min {
  template <class T>
  static constexpr T kNeutral = std::numeric_limits<T>::max();
  template <class V>
  BOBBIN_INLINE static void join(V& a, const V& b) {
    a = a < b ? a : b;
  }
};

// `rows` rows of `stride` values. States of order j + 1 are at j * stride, one per column.
struct StridedRows {
  size_t rows;
  size_t stride;
};

// What to prefetch meanwhile: `step` values per row.
template <class T>
struct Ahead {
  const T* values;
  size_t step;
};

// Scans columns 0 .. columns-1, kBytes of them at a time. The last ones may overlap the previous ones, and
// are then scanned twice: `before` and `after`, `in` and `out` may be the same only if kBytes divides the
// row.
template <class T, class Operation, uint32_t kOrder, size_t kBytes, bool kStore>
BOBBIN_INLINE void scan_rows(const T* in, T* out, StridedRows shape, size_t columns, const T* before,
                             T* after, Ahead<T> ahead) {
  using V = Vector<T, kBytes>;
  constexpr size_t kValues = kBytes / sizeof(T);
  for (size_t next = 0; next < columns; next += kValues) {
    const size_t column = std::min(next, columns - kValues);
    V state[kOrder];
    for (uint32_t j = 0; j < kOrder; ++j) {
      load(state[j], before + j * shape.stride + column);
    }
    const T* fetched = ahead.values + column;
    const size_t end = shape.rows * shape.stride;
    for (size_t i = column; i < end; i += shape.stride, fetched += ahead.step) {
      __builtin_prefetch(fetched);
      V value;
      load(value, in + i);
      for (uint32_t j = 0; j < kOrder; ++j) {
        Operation::join(state[j], value);
        value = state[j];
      }
      if constexpr (kStore) {
        store(out + i, value);
      }
    }
    for (uint32_t j = 0; j < kOrder; ++j) {
      store(after + j * shape.stride + column, state[j]);
    }
  }
}

// Interleaves, within each 16 bytes, the first halves of a and b, and the second halves.
template <class V, size_t... kI>
BOBBIN_INLINE void interleave(const V& a, const V& b, V& low, V& high, std::index_sequence<kI...>) {
  constexpr size_t kValues = sizeof...(kI);
  constexpr size_t kPart = 16 / sizeof(a[0]);
  low = __builtin_shufflevector(a, b, (kI - kI % kPart + kI % kPart / 2 + kI % 2 * kValues)...);
  high = __builtin_shufflevector(a, b, (kI - kI % kPart + kI % kPart / 2 + kI % 2 * kValues + kPart / 2)...);
}

// Transposes the squares formed by the first, second .. 16 bytes of the vectors. Each round interleaves the
// first half of the vectors with the second: the highest bit of a value's row becomes the lowest bit of its
// column.
template <uint32_t kRounds, class V, size_t kRows>
BOBBIN_INLINE void transpose(const V (&in)[kRows], V (&out)[kRows]) {
  if constexpr (kRounds == 0) {
    for (size_t i = 0; i < kRows; ++i) {
      out[i] = in[i];
    }
  } else {
    V next[kRows];
    for (size_t i = 0; i < kRows / 2; ++i) {
      interleave(in[i], in[i + kRows / 2], next[2 * i], next[2 * i + 1],
                 std::make_index_sequence<sizeof(V) / sizeof(in[0][0])>{});
    }
    transpose<kRounds - 1>(next, out);
  }
}

// Loads or stores a vector's first 16 bytes at one address, and further ones, if any, `distance` values
// apart.
template <class V, class T, size_t... kI>
BOBBIN_INLINE void load_parts(V& value, const T* from, size_t distance, std::index_sequence<kI...>) {
  Vector<T, 16> low;
  load(low, from);
  if constexpr (sizeof(V) == 16) {
    value = low;
  } else {
    Vector<T, 16> high;
    load(high, from + distance);
    value = __builtin_shufflevector(low, high, kI..., sizeof...(kI) + kI...);
  }
}
template <class V, class T, size_t... kI>
BOBBIN_INLINE void store_parts(T* to, const V& value, size_t distance, std::index_sequence<kI...>) {
  store<Vector<T, 16>>(to, __builtin_shufflevector(value, value, kI...));
  if constexpr (sizeof(V) != 16) {
    store<Vector<T, 16>>(to + distance, __builtin_shufflevector(value, value, sizeof...(kI) + kI...));
  }
}

// Converts segments of `length` values, 16 bytes or more, to rows of one value of each segment, and back. The
// last values may be moved twice.
template <class T, size_t kBytes, bool kBack>
BOBBIN_INLINE void cut(const T* in, T* out, size_t length) {
  constexpr size_t kValues = kBytes / sizeof(T);
  constexpr size_t kPart = 16 / sizeof(T);
  constexpr uint32_t kRounds = std::countr_zero(kPart);
  constexpr auto kIndices = std::make_index_sequence<kPart>{};
  for (size_t next = 0; next < length; next += kPart) {
    const size_t first = std::min(next, length - kPart);
    Vector<T, kBytes> a[kPart];
    Vector<T, kBytes> b[kPart];
    for (size_t i = 0; i < kPart; ++i) {
      if constexpr (kBack) {
        load(a[i], in + (first + i) * kValues);
      } else {
        load_parts(a[i], in + i * length + first, kPart * length, kIndices);
      }
    }
    transpose<kRounds>(a, b);
    for (size_t i = 0; i < kPart; ++i) {
      if constexpr (kBack) {
        store_parts(out + i * length + first, b[i], kPart * length, kIndices);
      } else {
        store(out + (first + i) * kValues, b[i]);
      }
    }
  }
}

// Computes the states before each segment, from the state before the first segment and the states that each
// segment reaches from a neutral one; `states` become those after the last segment. Over r rows of zeros, the
// state of order j becomes the sum of those of orders i <= j, each times the binomial coefficient of r - 1 +
// j - i over j - i.
template <class T, class Operation, uint32_t kOrder, size_t kBytes>
BOBBIN_INLINE void find_starts(size_t rows, size_t tuple, T* states, const T* ends, T* starts) {
  static_assert(sizeof(T) <= sizeof(uint32_t));
  constexpr size_t kValues = kBytes / sizeof(T);
  uint32_t binomials[kOrder] = {1};
  uint64_t exact = 1;  // no product overflows for at most 512 rows and order 8
  for (uint32_t j = 1; j < kOrder; ++j) {
    exact = exact * (rows - 1 + j) / j;
    binomials[j] = static_cast<uint32_t>(exact);
  }
  const size_t stride = tuple * kValues;
  for (size_t lane = 0; lane < tuple; ++lane) {
    T state[kOrder];
    for (uint32_t j = 0; j < kOrder; ++j) {
      state[j] = states[j * tuple + lane];
    }
    for (size_t i = lane * kValues; i < (lane + 1) * kValues; ++i) {
      for (uint32_t j = kOrder; j-- > 0;) {
        starts[j * stride + i] = state[j];
        Operation::join(state[j], ends[j * stride + i]);
        for (uint32_t lower = 0; lower < j; ++lower) {
          state[j] = static_cast<T>(static_cast<uint32_t>(state[j]) +
                                    static_cast<uint32_t>(state[lower]) * binomials[j - lower]);
        }
      }
    }
    for (uint32_t j = 0; j < kOrder; ++j) {
      states[j * tuple + lane] = state[j];
    }
  }
}

// Scans each 16 bytes of a vector separately: combines each value with the one kDistance before it, at 1, 2,
// 4 ..
template <class Operation, size_t kDistance, class V, size_t... kI>
BOBBIN_INLINE void scan_parts(V& value, const V& neutral, std::index_sequence<kI...> indices) {
  constexpr size_t kPart = 16 / sizeof(value[0]);
  if constexpr (kDistance < kPart) {
    const V earlier = __builtin_shufflevector(
        neutral, value, (kI % kPart < kDistance ? kI : sizeof...(kI) + kI - kDistance)...);
    Operation::join(value, earlier);
    scan_parts<Operation, 2 * kDistance>(value, neutral, indices);
  }
}

// Combines each 16 bytes with the last value before them.
template <class Operation, class V, size_t... kI>
BOBBIN_INLINE void join_parts(V& value, const V& neutral, std::index_sequence<kI...>) {
  constexpr size_t kPart = 16 / sizeof(value[0]);
  static_assert(sizeof...(kI) <= 2 * kPart);
  if constexpr (sizeof...(kI) > kPart) {
    const V last = __builtin_shufflevector(neutral, value, (kI < kPart ? kI : sizeof...(kI) + kPart - 1)...);
    Operation::join(value, last);
  }
}

template <class V, size_t... kI>
BOBBIN_INLINE void spread_last(const V& value, V& last, std::index_sequence<kI...>) {
  last = __builtin_shufflevector(value, value, (kI * 0 + sizeof...(kI) - 1)...);
}

// One series over whole vectors; within a vector, each order before the next.
template <class T, class Operation, uint32_t kOrder, size_t kBytes>
BOBBIN_INLINE void scan_flat(const T* in, T* out, size_t length, T* states, const T* ahead) {
  using V = Vector<T, kBytes>;
  constexpr size_t kValues = kBytes / sizeof(T);
  constexpr auto kIndices = std::make_index_sequence<kValues>{};
  V neutral;
  V before[kOrder];
  for (size_t i = 0; i < kValues; ++i) {
    neutral[i] = Operation::template kNeutral<T>;
    for (uint32_t j = 0; j < kOrder; ++j) {
      before[j][i] = states[j];
    }
  }
  for (size_t i = 0; i < length; i += kValues) {
    __builtin_prefetch(ahead + i);
    V value;
    load(value, in + i);
    for (uint32_t j = 0; j < kOrder; ++j) {
      scan_parts<Operation, 1>(value, neutral, kIndices);
      join_parts<Operation>(value, neutral, kIndices);
      V last;
      spread_last(value, last, kIndices);
      Operation::join(value, before[j]);
      Operation::join(before[j], last);
    }
    store(out + i, value);
  }
  for (uint32_t j = 0; j < kOrder; ++j) {
    states[j] = before[j][0];
  }
}

}  // namespace bobbin::scan::cpu
