// SPDX-License-Identifier: Apache-2.0
// Files that get their name later. Only their owner may read them. A process holds a lock on each of its own,
// so that others can tell those of processes that were killed: locks end with their process, on whatever
// machine or in whatever container it ran.
#pragma once

#include <cstddef>
#include <string>

#include "bobbin/io.hpp"
#include "bobbin/status.hpp"

namespace bobbin::file {

struct TemporaryFile {
  Descriptor descriptor;  // closing it ends the lock
  std::string name;       // in the directory
  size_t noted = 0;       // its number in file/unfinished.hpp
};

// A new file in a directory, which is open and has this path. Files of this user that no process holds are
// removed from it before.
[[nodiscard]] Result<TemporaryFile> create_temporary(int directory, const std::string& path);

}  // namespace bobbin::file
