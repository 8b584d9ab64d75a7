// SPDX-License-Identifier: Apache-2.0
// Work on several cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace bobbin {

// Into how many parts to cut work of some size, when a part of less than `least` is not worth a thread.
inline uint64_t num_parts(uint64_t size, uint64_t least) {
  const uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<uint64_t>(size / least, 1, cores);
}

// Calls f(0) .. f(parts - 1), on several threads when there are several parts.
template <class F>
void parallel_for(uint64_t parts, F&& f) {
  std::vector<std::jthread> threads;
  for (uint64_t p = 1; p < parts; ++p) {
    threads.emplace_back([&f, p] { f(p); });
  }
  if (parts != 0) {
    f(uint64_t{0});
  }
}

}  // namespace bobbin
