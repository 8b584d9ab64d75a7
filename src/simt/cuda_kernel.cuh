// SPDX-License-Identifier: Apache-2.0
// The functions that the GPU starts: a kernel (cta.hpp) with the GPU's Cta.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"
#include "simt/cuda_cta.cuh"

namespace bobbin::simt {

// The minimum number of resident blocks per SM, if the kernel specifies it: it limits the registers.
template <class K>
constexpr uint32_t min_blocks() {
  if constexpr (requires { K::kMinBlocks; }) {
    return K::kMinBlocks;
  } else {
    return 1;
  }
}

template <class K>
__global__ void __launch_bounds__(K::kThreads, min_blocks<K>()) run_kernel(const __grid_constant__ K kernel) {
  CudaCta cta;
  kernel(cta);
}

}  // namespace bobbin::simt

// Defines the entry point of a source that is compiled at run time: a kernel type, which may have commas.
#define BOBBIN_ENTRY(...)                                                                     \
  using BobbinEntryKernel = __VA_ARGS__;                                                      \
  extern "C" __global__ void __launch_bounds__(BobbinEntryKernel::kThreads,                   \
                                               bobbin::simt::min_blocks<BobbinEntryKernel>()) \
      bobbin_kernel(const __grid_constant__ BobbinEntryKernel kernel) {                       \
    bobbin::simt::CudaCta cta;                                                                \
    kernel(cta);                                                                              \
  }
