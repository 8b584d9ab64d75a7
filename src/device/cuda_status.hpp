// SPDX-License-Identifier: Apache-2.0
// CUDA errors as Status, with the call and the source location. Only files that need the CUDA toolkit include
// this.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "bobbin/status.hpp"

namespace bobbin::cuda_api {

inline Status to_status(cudaError_t error, const char* call, SourcePlace where = SourcePlace::current()) {
  if (error == cudaSuccess) {
    return {};
  }
  // The runtime remembers it as the last error: clear it, so that a check after the next launch does not
  // return it again.
  static_cast<void>(cudaGetLastError());
  const bool missing = error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
                       error == cudaErrorSystemDriverMismatch || error == cudaErrorSystemNotReady;
  StatusCode code = missing ? StatusCode::unavailable : StatusCode::device;
  if (error == cudaErrorMemoryAllocation) {
    code = StatusCode::out_of_memory;
  }
  return {code, std::string(call) + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error), where};
}

}  // namespace bobbin::cuda_api

// Evaluates a CUDA runtime call; its text becomes part of the message.
#define BOBBIN_CUDA(call) ::bobbin::cuda_api::to_status((call), #call)
