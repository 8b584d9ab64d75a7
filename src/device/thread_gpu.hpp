// SPDX-License-Identifier: Apache-2.0
// Each thread has a current GPU. A new thread's is the first one, whichever its creator uses.
#pragma once

#include <optional>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// The number of the GPU that this thread uses; 0 for the other backends.
[[nodiscard]] Result<int> current_gpu(Backend backend);

// The GPU of the thread that makes it, for threads that continue its work.
class ThreadGpu {
 public:
  explicit ThreadGpu(Backend backend);

  // The calling thread uses it from now on.
  [[nodiscard]] Status use() const;

 private:
  std::optional<int> gpu_;
};

}  // namespace bobbin
