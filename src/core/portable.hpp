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

// Formats are little-endian and are read in place.
static_assert(std::endian::native == std::endian::little, "Bobbin reads its formats in place");
