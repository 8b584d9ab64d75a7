// SPDX-License-Identifier: Apache-2.0
// The back end that a device source is being compiled for: the GPU by nvcc, the emulator by any other
// compiler.
#pragma once

#ifdef __CUDACC__
#include "simt/cuda_launch.cuh"
#else
#include "simt/emulator.hpp"
#endif

namespace bobbin::simt {

#ifdef __CUDACC__
using Executor = CudaExecutor;
#else
using Executor = EmulatorExecutor;
#endif
constexpr Backend kBackend = Executor::kBackend;

}  // namespace bobbin::simt
