// SPDX-License-Identifier: Apache-2.0
// Where a table's text comes from: a descriptor, or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bobbin/status.hpp"
#include "file/descriptor.hpp"

namespace bobbin::csv {

class Source {
 public:
  static Result<Source> open(const std::string& path);
  // From where the descriptor stands; the caller closes it. `name` is for error messages.
  static Source from_descriptor(int descriptor, std::string name);
  // The caller keeps the text.
  static Source from_memory(std::string_view text, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether it can be read a second time: a pipe cannot.
  [[nodiscard]] bool can_rewind() const { return start_ >= 0; }
  void rewind() { offset_ = 0; }

  // Fills some of `out`, at least a byte; 0 at the end.
  [[nodiscard]] Result<size_t> read(std::span<char> out);
  [[nodiscard]] uint64_t offset() const { return offset_; }

 private:
  Source() = default;

  std::string name_;
  file::Descriptor descriptor_;
  bool in_memory_ = false;
  std::string_view text_;
  int64_t start_ = -1;  // of a descriptor that can seek
  uint64_t offset_ = 0;
};

}  // namespace bobbin::csv
