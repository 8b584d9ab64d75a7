// SPDX-License-Identifier: Apache-2.0
// Runs composed kernels that are compiled at run time.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/compose.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// When queries use composed kernels.
enum class Compiling : uint8_t {
  automatic,  // for many rows, once the kernel is compiled; until then other kernels answer
  always,     // waits for the compiler
  never,
};
// BOBBIN_QUERY_KERNELS: `auto`, `compiled` or `built-in`.
[[nodiscard]] Compiling compiling_by_environment();

// Launches the kernel, asynchronously; false if it is not compiled yet. `wait`: waits for the compiler
// instead.
using RunComposed = Result<bool> (*)(const Composed& composed, const QueryInput& query, bool wait,
                                     StreamView stream);
// The one for a back end, or null. Tests set that of the emulator, before they start threads.
[[nodiscard]] RunComposed& composed_runner(Backend backend);

}  // namespace bobbin::plan
