// SPDX-License-Identifier: Apache-2.0
// The only place that distinguishes compilers, for headers shared by host and device code.
#pragma once

#include <bit>

#ifdef __CUDACC__
#define BOBBIN_HD __host__ __device__ __forceinline__
#else
#define BOBBIN_HD inline
#endif

// Loops over register arrays must be unrolled on the GPU, otherwise the array is placed in memory.
// Those that must stay small are not.
#ifdef __CUDA_ARCH__
#define BOBBIN_UNROLL _Pragma("unroll")
#define BOBBIN_ROLL _Pragma("unroll 1")
#else
#define BOBBIN_UNROLL
#define BOBBIN_ROLL
#endif

// Marks a function that is compiled a second time for CPUs with AVX2, and checks whether the CPU has it. On
// other architectures the copy is an ordinary function that is never called. Functions it calls must be
// inlined into it: BOBBIN_INLINE.
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

// Formats are little-endian and read in place.
static_assert(std::endian::native == std::endian::little, "Bobbin reads its formats in place");
