// SPDX-License-Identifier: Apache-2.0
#include "plan/compiled.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/lanes.hpp"
#include "jit/kernel.hpp"

namespace bobbin::plan {
namespace {

Result<bool> run_on_gpu(const Composed& composed, const QueryInput& query, bool wait, StreamView stream) {
  jit::Cache& cache = jit::Cache::of_process();
  const std::string source = composed.source();
  BOBBIN_ASSIGN(const jit::Kernel* kernel,
                wait ? jit::get_kernel(cache, source) : jit::request_kernel(cache, source));
  if (kernel == nullptr) {
    return false;
  }
  jit::LaunchShape shape{.blocks = 0, .threads = Composed::kThreads, .shared_bytes = composed.shared_bytes};
  BOBBIN_ASSIGN(const uint32_t together, kernel->resident_blocks(shape));
  shape.blocks = std::min<uint64_t>(together, ceil_div<uint64_t>(num_vectors(query.end), Composed::kWarps));
  BOBBIN_TRY(kernel->launch(shape, query, stream));
  return true;
}

}  // namespace

Compiling compiling_by_environment() {
  const char* text = std::getenv("BOBBIN_QUERY_KERNELS");
  const std::string_view asked = text == nullptr ? "" : text;
  return asked == "compiled"   ? Compiling::always
         : asked == "built-in" ? Compiling::never
                               : Compiling::automatic;
}

RunComposed& composed_runner(Backend backend) {
  static RunComposed none = nullptr;
  static RunComposed gpu = &run_on_gpu;
  static RunComposed emulator = nullptr;
  return backend == Backend::cuda ? gpu : backend == Backend::emulator ? emulator : none;
}

}  // namespace bobbin::plan
