// SPDX-License-Identifier: Apache-2.0
// A private folder for files that other programs write for the command.
#pragma once

#include <string>
#include <utility>

#include "bobbin/status.hpp"

namespace bobbin::cli {

// In $TMPDIR or /tmp; removed with all that is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace bobbin::cli
