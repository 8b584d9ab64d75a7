// SPDX-License-Identifier: Apache-2.0
// Streams beside a caller's stream, for kernels that do not fill a GPU one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// Work in a branch begins after what the caller's stream has when the fork is made. What the caller's stream
// gets after join() waits for all branches. For one thread.
class Fork {
 public:
  static Result<Fork> create(StreamView stream, uint32_t branches);

  Fork(Fork&& other) noexcept;
  Fork& operator=(Fork&&) = delete;
  ~Fork();  // joins what is not joined

  // The first branch is the caller's stream. The emulator has no other.
  [[nodiscard]] StreamView branch(uint32_t i) const {
    return i == 0 || others_.empty() ? stream_ : others_[i - 1].view();
  }
  [[nodiscard]] Status join();

 private:
  explicit Fork(StreamView stream) : stream_(stream) {}

  StreamView stream_;
  std::vector<Stream> others_;
  void* event_ = nullptr;  // of CUDA; one is enough, since a wait is for its state at the call
};

}  // namespace bobbin
