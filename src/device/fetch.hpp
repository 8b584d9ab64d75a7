// SPDX-License-Identifier: Apache-2.0
// Copies of small results from a device to the host, through pinned memory that the process keeps. A copy to
// memory that is not pinned makes the driver wait for the stream, and meanwhile other threads cannot submit
// copies (docs/perf/query.md).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// Several copies with one wait. For one thread.
class Fetch {
 public:
  explicit Fetch(StreamView stream);
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;
  ~Fetch();  // waits for copies that are still queued

  // Queues a copy in the order of the stream. `to` has the bytes after wait().
  [[nodiscard]] Status add(void* to, const void* from, size_t bytes);
  // There are no more copies: wait() does not wait for what is submitted to the stream from now on, and the
  // stream may end before.
  [[nodiscard]] Status finish();
  // Waits for the copies.
  [[nodiscard]] Status wait();

 private:
  struct Memory;
  struct Pool;
  struct Part {
    void* to = nullptr;
    size_t at = 0;  // in the pinned memory
    size_t bytes = 0;
  };

  StreamView stream_;
  std::unique_ptr<Memory> memory_;  // null until it is needed
  std::vector<Part> parts_;
  std::optional<Event> done_;
  bool is_pending_ = false;
};

// One copy.
[[nodiscard]] Status fetch(void* to, const void* from, size_t bytes, StreamView stream);

}  // namespace bobbin
