// SPDX-License-Identifier: Apache-2.0
// The one place that knows which compiler reads a header shared by host and device code.
#pragma once

#include <bit>

#ifdef __CUDACC__
#define BOBBIN_HD __host__ __device__ __forceinline__
#else
#define BOBBIN_HD inline
#endif

// Loops over register arrays must unroll on the GPU, else the array moves to memory.
#ifdef __CUDA_ARCH__
#define BOBBIN_UNROLL _Pragma("unroll")
#else
#define BOBBIN_UNROLL
#endif

// Marks a function that is compiled once more for CPUs with AVX2, and tells whether this is one. Elsewhere
// the copy is an ordinary function that nobody calls. What it calls must be inlined into it: BOBBIN_INLINE.
#define BOBBIN_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define BOBBIN_AVX2 [[gnu::target("avx2")]]
#else
#define BOBBIN_AVX2
#endif

namespace bobbin {

inline bool have_avx2() {
#if defined(__x86_64__)
  static const bool have = __builtin_cpu_supports("avx2") != 0;
  return have;
#else
  return false;
#endif
}

}  // namespace bobbin

// Formats are little-endian and are read in place.
static_assert(std::endian::native == std::endian::little, "Bobbin reads its formats in place");
