// SPDX-License-Identifier: Apache-2.0
// Where a writer's bytes go, in order: an open descriptor, or a new file that gets its name when all of it is
// safe on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "file/descriptor.hpp"

namespace bobbin::file {

class Output {
 public:
  // Refuses when there is something at `path`, unless it is a regular file and `overwrite` is set.
  static Result<Output> create(const std::string& path, bool overwrite);
  static Output borrow(int descriptor);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output() { discard(); }

  [[nodiscard]] Status write(std::span<const std::byte> bytes);
  // Writes what is still held back; then syncs the file, gives it its name and syncs the directory.
  [[nodiscard]] Status commit();
  // Removes the temporary file, if there is one. Nothing may be written afterwards.
  void discard();

  [[nodiscard]] uint64_t position() const { return position_; }

 private:
  explicit Output(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  [[nodiscard]] Status flush();
  [[nodiscard]] Status give_name();

  Descriptor descriptor_;
  Descriptor directory_;
  std::string temporary_;  // a name in the directory; empty: there is no temporary file
  std::string name_;
  bool overwrite_ = false;
  uint64_t position_ = 0;
  std::vector<std::byte> held_;
};

}  // namespace bobbin::file
