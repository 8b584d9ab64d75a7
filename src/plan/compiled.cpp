// SPDX-License-Identifier: Apache-2.0
#include "plan/compiled.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/lanes.hpp"
#include "jit/kernel.hpp"

namespace bobbin::plan {
namespace {

// Which run asked first for each kernel.
class FirstRuns {
 public:
  static FirstRuns& of_process() {
    static FirstRuns runs;
    return runs;
  }

  [[nodiscard]] bool is_first(const std::string& source, uint64_t run) {
    const std::lock_guard lock(mutex_);
    return runs_.try_emplace(std::hash<std::string>()(source), run).first->second == run;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<size_t, uint64_t> runs_;
};

Result<const jit::Kernel*> kernel_for(const std::string& source, const Asker& asker) {
  jit::Cache& cache = jit::Cache::of_process();
  if (asker.waits) {
    return jit::get_kernel(cache, source);
  }
  return FirstRuns::of_process().is_first(source, asker.run) ? jit::find_kernel(cache, source)
                                                             : jit::request_kernel(cache, source);
}

Result<Ran> run_on_gpu(const Composed& composed, const QueryInput& query, const Asker& asker,
                       StreamView stream) {
  BOBBIN_ASSIGN(const jit::Kernel* kernel, kernel_for(composed.source(), asker));
  if (kernel == nullptr) {
    return Ran{};
  }
  jit::LaunchShape shape{.blocks = 0, .threads = 32 * composed.warps, .shared_bytes = composed.shared_bytes};
  BOBBIN_ASSIGN(const uint32_t together, kernel->resident_blocks(shape));
  shape.blocks = std::min<uint64_t>(together, ceil_div<uint64_t>(num_vectors(query.end), composed.warps));
  BOBBIN_TRY(kernel->launch(shape, query, stream));
  return Ran{.done = true, .registers = kernel->registers(), .local_bytes = kernel->local_bytes()};
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
