// SPDX-License-Identifier: Apache-2.0
// What is scanned, and how two parts of a scan of order k are combined.
//
// After some values, a scan of order k has reached the state S1 .. Sk: Sj is the last value of the j-times
// repeated scan. Each further value x does S1 += x, S2 += S1, .. Sk += S(k-1), and Sk is the result. Append
// part B to part A: if B has L values and alone reaches the state B1 .. Bk, then together they reach
//     Sj = Bj + sum over i <= j of h(j-i) * Ai,   h(d) = C(L+d-1, d),
// which is a triangular Toeplitz matrix H(L), given by k numbers. Integers modulo 2^w are a ring, so this is
// exact. The numbers are the coefficients of 1 / (1-x)^L up to degree k-1: those of L1 + L2 are the product
// of those of L1 and L2, which gives them without a division, and H(-L), that of (1-x)^L, is the inverse of
// H(L).
//
// So states can be moved to a common position: a part that ends at position p and alone reaches S becomes
// H(-p) S at position 0. There, parts are combined by plain addition, and H(q) of the sum is the state at
// position q. A tile is scanned this way: two products per thread, and additions.
#pragma once

#include <cstdint>

#include "core/portable.hpp"

namespace bobbin::scan {

// Operations on words. All have 0 as their neutral element; see Arguments::mask for those that do not.
template <class W>
struct Sum {
  using Word = W;
  BOBBIN_HD static constexpr Word combine(Word a, Word b) { return a + b; }
  // Over the lanes of a warp; 32-bit integers only.
  template <class Cta>
  BOBBIN_HD static Word reduce(Cta& cta, Word a) {
    return cta.reduce_add(a);
  }
};
template <class W>
struct Xor {
  using Word = W;
  BOBBIN_HD static constexpr Word combine(Word a, Word b) { return a ^ b; }
  // Over the lanes of a warp; 32-bit integers only.
  template <class Cta>
  BOBBIN_HD static Word reduce(Cta& cta, Word a) {
    return cta.reduce_xor(a);
  }
};
template <class W>
struct Max {
  using Word = W;
  BOBBIN_HD static constexpr Word combine(Word a, Word b) { return a < b ? b : a; }
  // Over the lanes of a warp; 32-bit integers only.
  template <class Cta>
  BOBBIN_HD static Word reduce(Cta& cta, Word a) {
    return cta.reduce_max(a);
  }
};
template <class W>
struct Or {
  using Word = W;
  BOBBIN_HD static constexpr Word combine(Word a, Word b) { return a | b; }
  // Over the lanes of a warp; 32-bit integers only.
  template <class Cta>
  BOBBIN_HD static Word reduce(Cta& cta, Word a) {
    return cta.reduce_or(a);
  }
};

// The coefficients h(0) .. h(K-1) for some number of values, modulo 2^w.
template <class Word, uint32_t K>
struct Pascal {
  Word h[K];

  BOBBIN_HD static constexpr Pascal none() {
    Pascal p{};
    p.h[0] = 1;
    return p;
  }
  [[nodiscard]] BOBBIN_HD constexpr Pascal times(const Pascal& other) const {
    Pascal p{};
    BOBBIN_UNROLL
    for (uint32_t d = 0; d < K; ++d) {
      Word sum = 0;
      BOBBIN_UNROLL
      for (uint32_t i = 0; i <= d; ++i) {
        sum += h[i] * other.h[d - i];
      }
      p.h[d] = sum;
    }
    return p;
  }
  [[nodiscard]] BOBBIN_HD constexpr Pascal power(uint64_t n) const {
    Pascal result = none();
    if constexpr (K > 1) {
      for (Pascal square = *this; n != 0; n /= 2, square = square.times(square)) {
        if (n % 2 != 0) {
          result = result.times(square);
        }
      }
    }
    return result;
  }
  // H(values).
  BOBBIN_HD static constexpr Pascal forward(uint64_t values) {
    Pascal one{};
    for (uint32_t d = 0; d < K; ++d) {
      one.h[d] = 1;
    }
    return one.power(values);
  }
  // H(-values).
  BOBBIN_HD static constexpr Pascal back(uint64_t values) {
    Pascal one = none();
    if constexpr (K > 1) {
      one.h[1] = static_cast<Word>(-1);
    }
    return one.power(values);
  }
};

// The state of a scan of order K after some values.
template <class Op, uint32_t K>
struct State {
  using Word = typename Op::Word;
  Word s[K];

  // The result for the next value.
  BOBBIN_HD constexpr Word step(Word x) {
    s[0] = Op::combine(s[0], x);
    BOBBIN_UNROLL
    for (uint32_t j = 1; j < K; ++j) {
      s[j] = Op::combine(s[j], s[j - 1]);
    }
    return s[K - 1];
  }
  // Adds another state at the same position, one of earlier values.
  BOBBIN_HD constexpr void prepend(const State& earlier) {
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < K; ++j) {
      s[j] = Op::combine(earlier.s[j], s[j]);
    }
  }
};

// The state moved forward or back by the number of positions that `pascal` represents. Only sums have orders
// that need this.
template <class Op, uint32_t K>
BOBBIN_HD constexpr State<Op, K> advance(const State<Op, K>& state,
                                         const Pascal<typename Op::Word, K>& pascal) {
  if constexpr (K == 1) {
    return state;
  } else {
    State<Op, K> moved{};
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < K; ++j) {
      typename Op::Word sum = state.s[j];
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < j; ++i) {
        sum += pascal.h[j - i] * state.s[i];
      }
      moved.s[j] = sum;
    }
    return moved;
  }
}

}  // namespace bobbin::scan
