// SPDX-License-Identifier: Apache-2.0
// Work on several cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "bobbin/cancel.hpp"

namespace bobbin {

// The number of parts to split work into, if a part smaller than `least` is not worth a thread.
inline uint64_t num_parts(uint64_t size, uint64_t least) {
  const uint64_t most = size / least;
  if (most <= 1) {
    return 1;  // to ask for the number of cores means to read a file
  }
  return std::min<uint64_t>(most, std::max(1U, std::thread::hardware_concurrency()));
}

// Calls f(0) .. f(parts - 1), on several threads if there are several parts. What cancels the caller cancels
// all of them.
template <class F>
void parallel_for(uint64_t parts, F&& f) {
  const CancelToken* const token = CancelScope::current();
  std::vector<std::jthread> threads;
  for (uint64_t p = 1; p < parts; ++p) {
    threads.emplace_back([&f, p, token] {
      std::optional<CancelScope> scope;
      if (token != nullptr) {
        scope.emplace(*token);
      }
      f(p);
    });
  }
  if (parts != 0) {
    f(uint64_t{0});
  }
}

// 0 means one per core.
inline unsigned num_threads(unsigned asked) {
  return asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

// Calls f(0) .. f(tasks - 1) on up to num_threads(threads) threads; each thread takes the next task when it
// is free.
template <class F>
void parallel_tasks(uint64_t tasks, unsigned threads, F&& f) {
  std::atomic<uint64_t> next{0};
  parallel_for(std::min<uint64_t>(tasks, num_threads(threads)), [&](uint64_t /*part*/) {
    for (uint64_t task = next++; task < tasks; task = next++) {
      f(task);
    }
  });
}

}  // namespace bobbin
