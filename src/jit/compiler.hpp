// SPDX-License-Identifier: Apache-2.0
// Compiles kernels at run time. It needs libnvrtc, but no GPU, driver or CUDA toolkit.
//
// A source includes the project's headers by their usual names ("simt/cuda_kernel.cuh",
// "codecs/ffor/tile.hpp"): those that src/CMakeLists.txt lists, and what they include. It ends with
// BOBBIN_ENTRY(SomeKernel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin::jit {

// The entry point that BOBBIN_ENTRY defines.
inline constexpr const char* kEntryPoint = "bobbin_kernel";

// The machine code of a source for GPUs of compute capability sm / 10 . sm % 10, such as 90. `unavailable`
// without libnvrtc, `unsupported` if it does not know the architecture, `invalid_argument` with its messages
// if it refuses the source. Several threads may compile at once.
[[nodiscard]] Result<std::vector<std::byte>> compile(std::string_view source, int sm);

// All that determines the machine code besides the source: the version of NVRTC, the options, the
// architecture and the embedded headers. Equal texts give equal code.
[[nodiscard]] std::string compiler_identity(std::string_view version, int sm);

}  // namespace bobbin::jit
