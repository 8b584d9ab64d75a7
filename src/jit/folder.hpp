// SPDX-License-Identifier: Apache-2.0
// The folder of compiled kernels: one file per kernel. Processes may share it: a file is complete when it
// appears under its name, and is checked when it is read. What goes wrong with the folder is never an error:
// kernels are then compiled again. A folder that is not this user's own, or that others can write to, is not
// used, and a line on stderr says so once per process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bobbin::jit {

struct FolderOptions {
  std::string path;                   // empty: nothing is kept on disk
  uint64_t most_bytes = 64ULL << 20;  // of all files; the least recently used are removed

  // BOBBIN_CACHE=off: none. Otherwise BOBBIN_CACHE_DIR, $XDG_CACHE_HOME/bobbin or ~/.cache/bobbin.
  [[nodiscard]] static FolderOptions from_environment();
};

class Folder {
 public:
  explicit Folder(FolderOptions options) : options_(std::move(options)) {}

  // Nothing if there is no such file, or if it is damaged or has another key.
  [[nodiscard]] std::optional<std::vector<std::byte>> read(const std::string& key) const;
  void write(const std::string& key, const std::vector<std::byte>& code) const;

  // The file of a key, for tests.
  [[nodiscard]] std::string path_of(const std::string& key) const;

 private:
  FolderOptions options_;
};

}  // namespace bobbin::jit
