// SPDX-License-Identifier: Apache-2.0
// For memory that is shared with other libraries, whose streams are not known. Any thread may call these
// functions. They do not change which GPU is current in it.
#pragma once

#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// The number of the GPU that memory is on.
[[nodiscard]] BOBBIN_API Result<int> gpu_of(const void* device_memory);

// Waits until all work that was submitted so far to any stream of the GPU is done.
[[nodiscard]] BOBBIN_API Status synchronize_gpu(int gpu);

// Work that is submitted to `stream` from now on waits for the event of another library, a cudaEvent_t.
[[nodiscard]] BOBBIN_API Status wait_for_event(StreamView stream, void* cuda_event);

// Work that is submitted to `stream` from now on waits for the work submitted to `other` so far. To pass a
// stream of another library, make a StreamView from its handle.
[[nodiscard]] BOBBIN_API Status wait_for_stream(StreamView stream, StreamView other);

}  // namespace bobbin
