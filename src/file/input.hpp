// SPDX-License-Identifier: Apache-2.0
// A file that is read at explicit positions. It is never mapped: if it is truncated meanwhile, reading must
// give an error, not SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bobbin/io.hpp"
#include "bobbin/status.hpp"

namespace bobbin::file {

class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  static Result<InputFile> borrow(int descriptor);

  // The size when it was opened.
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] std::optional<Access> access() const { return Access::of(descriptor_.get()); }
  // Fills `out` from byte `offset` on. Does not change the descriptor's own position; several threads may
  // call it at once.
  [[nodiscard]] Status read_at(uint64_t offset, std::span<std::byte> out) const;

 private:
  InputFile(Descriptor descriptor, uint64_t size) : descriptor_(std::move(descriptor)), size_(size) {}
  static Result<InputFile> from(Descriptor descriptor);

  Descriptor descriptor_;
  uint64_t size_;
};

}  // namespace bobbin::file
