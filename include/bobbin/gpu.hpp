// SPDX-License-Identifier: Apache-2.0
// For memory that other libraries use too, whose streams are not known. Any thread may call these; its
// current GPU stays as it is.
#pragma once

#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// The number of the GPU that memory is on.
[[nodiscard]] BOBBIN_API Result<int> gpu_of(const void* device_memory);

// Waits until everything that any stream of a GPU was given so far is done.
[[nodiscard]] BOBBIN_API Status synchronize_gpu(int gpu);

// Work that is submitted to `stream` from now on waits for the event of another library, a cudaEvent_t.
[[nodiscard]] BOBBIN_API Status wait_for_event(StreamView stream, void* cuda_event);

// Work that is submitted to `stream` from now on waits for what `other` was given so far. Streams of other
// libraries are views of their handles.
[[nodiscard]] BOBBIN_API Status wait_for_stream(StreamView stream, StreamView other);

}  // namespace bobbin
