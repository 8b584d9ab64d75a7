// SPDX-License-Identifier: Apache-2.0
// For memory that other libraries use too, whose streams are not known. Any thread may call these; its
// current GPU stays as it is.
#pragma once

#include "bobbin/export.h"
#include "bobbin/status.hpp"

namespace bobbin {

// The number of the GPU that memory is on.
[[nodiscard]] BOBBIN_API Result<int> gpu_of(const void* device_memory);

// Waits until everything that any stream of a GPU was given so far is done.
[[nodiscard]] BOBBIN_API Status synchronize_gpu(int gpu);

}  // namespace bobbin
