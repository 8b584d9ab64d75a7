// SPDX-License-Identifier: Apache-2.0
// A stream with pinned memory, lent from a pool of the process. Creating either takes longer than encoding a
// small array, and copies from memory that is not pinned are slow and block.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin {

// For one thread at a time; different sessions are independent.
class Session {
 public:
  // Fails as Stream::create() does.
  static Result<Session> borrow(Backend backend);

  Session(Session&&) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();  // returns the stream and its memory to the pool

  [[nodiscard]] StreamView stream() const;

  // Copies from host memory, which may change when the call returns, to device memory, ordered in the stream.
  [[nodiscard]] Status upload(void* to, std::span<const std::byte> from);
  // Copies from device memory to host memory. Waits for the stream.
  [[nodiscard]] Status download(std::span<std::byte> to, const void* from);

 private:
  struct Parts;
  struct Pool;
  explicit Session(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace bobbin
