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

// Who asks for a kernel.
struct Asker {
  bool waits = false;  // for the compiler
  uint64_t run = 0;    // of a query (Pieces::run)
};
struct Ran {
  bool done = false;         // not if the kernel is not compiled yet
  uint32_t registers = 0;    // per thread, if known
  uint32_t local_bytes = 0;  // the same
};
// Launches the kernel, asynchronously. An asker that does not wait gets a kernel only if this process or the
// cache folder has it compiled. Otherwise another thread compiles it when a second run asks for it: a process
// that asks only once would end before the compiler does.
using RunComposed = Result<Ran> (*)(const Composed& composed, const QueryInput& query, const Asker& asker,
                                    StreamView stream);
// The one for a back end, or null. Tests set that of the emulator, before they start threads.
[[nodiscard]] RunComposed& composed_runner(Backend backend);

}  // namespace bobbin::plan
