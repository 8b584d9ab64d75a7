// SPDX-License-Identifier: Apache-2.0
// A file that is read at explicit positions. It is never mapped: if it is truncated meanwhile, reading must
// give an error, not SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bobbin/io.hpp"
#include "bobbin/status.hpp"

namespace bobbin::file {

class Input {
 public:
  static Result<Input> open(const std::string& path);
  static Result<Input> borrow(int descriptor);

  // The size when it was opened.
  [[nodiscard]] uint64_t size() const { return size_; }
  // Fills `out` from byte `offset` on. Does not change the descriptor's own position; several threads may
  // call it at once.
  [[nodiscard]] Status read_at(uint64_t offset, std::span<std::byte> out) const;

 private:
  Input(Descriptor descriptor, uint64_t size) : descriptor_(std::move(descriptor)), size_(size) {}
  static Result<Input> from(Descriptor descriptor);

  Descriptor descriptor_;
  uint64_t size_;
};

}  // namespace bobbin::file
